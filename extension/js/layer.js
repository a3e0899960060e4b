// The one layer over a page. It is on every page that is read, with highlights or without, and
// looks the same to the page's own scripts whatever it shows:
// - A marker is a set of rectangles that an SVG filter floods. The elements that carry the filters
//   are empty and hidden. So no hit test, no occlusion test (IntersectionObserver version 2) and no
//   extent of the page knows of them.
// - Words stand in a frame of the extension's origin, which the page's scripts cannot read. The
//   frame moves to every link that the person points at, and says something at some of them.
// - The layer is fixed, clipped and contained, so nothing of the page moves.
globalThis.linkscentLayer = () => {
  const SVG = "http://www.w3.org/2000/svg";
  const STYLE = `
    :host { all: initial !important; position: fixed !important; inset: 0 !important; contain: strict !important; overflow: clip !important; visibility: hidden !important; pointer-events: none !important; user-select: none !important; z-index: 2147483647 !important; }
    i, div { position: absolute; left: 0; top: 0; width: 0; height: 0; }
    .unseen { filter: url(#nothing); }
    svg { position: absolute; width: 0; height: 0; }
    iframe { position: absolute; left: 0; top: 0; width: 344px; height: 136px; border: 0; color-scheme: light; pointer-events: none; }
    @media print { :host { display: none !important; } }`;
  const GAP = 8; // pixels between a link and the words about it
  // Chromium tests what lies over an element. It passes over all that stands in an element whose
  // filter shows nothing, yet never applies such a filter to a frame of another origin.
  const testsWhatCovers = "isVisible" in (globalThis.IntersectionObserverEntry?.prototype ?? {});

  let host = null, filters = null, markers = [], holder = null, frame = null, port = null, unsent = null;
  // The words that the frame says it shows.
  let showing = "";

  function svg(name, attributes) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  }

  // A filter that covers a box, in pixels of the window.
  function filterOver(id, { x, y, width, height }) {
    return svg("filter", { id, x, y, width, height, filterUnits: "userSpaceOnUse", primitiveUnits: "userSpaceOnUse", "color-interpolation-filters": "sRGB" });
  }

  function open() {
    if (!host) {
      host = document.createElement("div");
      const inside = host.attachShadow({ mode: "closed" });
      const style = document.createElement("style");
      style.textContent = STYLE;
      filters = inside.appendChild(svg("svg", {}));
      const nothing = filters.appendChild(filterOver("nothing", { x: -9999, y: -9999, width: 1, height: 1 }));
      nothing.append(svg("feFlood", { "flood-opacity": 0 }));
      holder = document.createElement("div");
      holder.className = testsWhatCovers ? "unseen" : "";
      inside.append(style, holder);
    }
    if (!host.isConnected) document.documentElement.append(host);
  }

  // Where the layer lies: elements that are transformed hold fixed ones.
  function origin() {
    const { left, top } = host.getBoundingClientRect();
    return { left, top };
  }

  const boxAround = (parts) => {
    const [x, y] = [Math.min(...parts.map((part) => part.x)), Math.min(...parts.map((part) => part.y))];
    const [right, bottom] = [Math.max(...parts.map((part) => part.x + part.width)), Math.max(...parts.map((part) => part.y + part.height))];
    return { x, y, width: right - x, height: bottom - y };
  };

  // The steps of a filter that draw a rectangle, whole or in dashes.
  function stepsOf({ x, y, width, height, color, dash }, result) {
    if (!dash) return [svg("feFlood", { x, y, width, height, "flood-color": color, result })];
    const [on, off] = dash;
    return [
      svg("feFlood", { x, y, width: on, height, "flood-color": color, result: "on" }),
      svg("feOffset", { in: "on", dx: 0, dy: 0, x, y, width: on + off, height, result: "period" }),
      svg("feTile", { in: "period", x, y, width, height, result }),
    ];
  }

  function filterOf(id, parts) {
    const filter = filterOver(id, boxAround(parts));
    const merged = svg("feMerge", {});
    parts.forEach((part, number) => {
      filter.append(...stepsOf(part, `part${number}`));
      merged.append(svg("feMergeNode", { in: `part${number}` }));
    });
    filter.append(merged);
    return filter;
  }

  // Shows markers, each a list of parts: rectangles in pixels of the layer, with a color and, if
  // they are dashed, the lengths of a dash and of the gap behind it.
  function show(wanted) {
    if (!host) return;
    while (markers.length > wanted.length) {
      const { element, filter } = markers.pop();
      element.remove();
      filter?.remove();
    }
    wanted.forEach((parts, number) => {
      const drawn = JSON.stringify(parts);
      if (markers[number]?.drawn === drawn) return;
      const id = `marker${number}`;
      markers[number] ??= { element: filters.parentNode.appendChild(document.createElement("i")) };
      const marker = markers[number];
      marker.filter?.remove();
      marker.filter = parts.length > 0 ? filters.appendChild(filterOf(id, parts)) : null;
      marker.element.style.filter = parts.length > 0 ? `url(#${id})` : "none";
      marker.drawn = drawn;
    });
  }

  // The frame for words is loaded when the person first points at any link.
  function openFrame() {
    open();
    if (frame) return;
    frame = document.createElement("iframe");
    frame.title = "Linkscent";
    frame.addEventListener("load", () => {
      const channel = new MessageChannel();
      port = channel.port1;
      port.onmessage = ({ data }) => (showing = data);
      frame.contentWindow.postMessage("words", "*", [channel.port2]);
      if (unsent) port.postMessage(unsent);
      unsent = null;
    });
    frame.src = chrome.runtime.getURL("pages/words.html");
    holder.append(frame);
  }

  function send(words) {
    if (port) port.postMessage(words);
    else unsent = words;
  }

  function moveTo(left, top) {
    const from = origin();
    frame.style.transform = `translate(${Math.round(left - from.left)}px, ${Math.round(top - from.top)}px)`;
    frame.style.visibility = "visible";
  }

  // Puts words beside a link: below it, or above it where there is no room below. `words` has
  // the text, a smaller line, and what is spoken; without a text only the frame moves.
  function sayBeside(element, words) {
    openFrame();
    const link = element.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = frame;
    const below = link.bottom + GAP, above = link.top - height - GAP;
    const isAbove = below + height > innerHeight && above >= 0;
    const top = isAbove ? above : Math.min(below, innerHeight - height);
    moveTo(Math.max(4, Math.min(link.left, innerWidth - width - 4)), Math.max(0, top));
    send({ ...words, side: isAbove ? "bottom" : "top" });
  }

  // Puts words at the foot of the window.
  function sayAtFoot(words) {
    openFrame();
    moveTo(16, innerHeight - frame.offsetHeight - 16);
    send({ ...words, side: "bottom" });
  }

  function quiet() {
    if (!frame) return;
    frame.style.visibility = "";
    send({ text: "" });
  }

  return { open, element: () => host, showing: () => showing, origin, show, sayBeside, sayAtFoot, quiet };
};
