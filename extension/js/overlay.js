// Draws over a page: a line under each promising link, a corner on each promising picture,
// and one tip. Nothing of it stands in the page's own tree but one inert element, whose shadow
// root the page cannot look into. Nothing of the page moves, and nothing takes the pointer.
globalThis.linkscentOverlay = () => {
  const SEEN = 4; // pixels that a link is wide and high at least
  const LONGEST_TEXT = 80; // characters of a link's text that are told
  // What can be done with the link: the tip itself takes no pointer, lest the page hears of it.
  const ACTIONS = chrome.i18n.getMessage("tip_actions");
  const SAID = 6000; // milliseconds that something said is shown
  const POINTED = 250; // milliseconds that a link is pointed at before its tip is shown
  // Ink by what it lies on: the first that stands out. Blue and sky, black and white.
  const INKS = [[11, 95, 165], [124, 196, 255], [0, 0, 0], [255, 255, 255]];
  const STANDS_OUT = 3; // contrast, as WCAG 2 counts it for what is no text
  // Grades are told apart without colour: by the line's kind and the marker's filling.
  const LINES = { 3: "3px solid", 2: "3px dashed", 1: "2px dotted" };
  const FILLINGS = { 3: "currentColor", 2: "linear-gradient(90deg, currentColor 50%, transparent 50%)", 1: "transparent" };
  const STYLE = `
    :host { all: initial !important; position: absolute !important; left: 0 !important; top: 0 !important; width: 0 !important; height: 0 !important; z-index: 2147483647 !important; pointer-events: none !important; }
    div { position: absolute; box-sizing: border-box; }
    i { position: absolute; box-sizing: border-box; width: 7px; height: 7px; border: 1.5px solid currentColor; border-radius: 50%; }
    b { position: absolute; font: bold 11px/1 system-ui, sans-serif; }
    b::before { content: "\\2713"; }
    i.corner { width: 18px; height: 18px; border: 3px solid #fff; outline: 2px solid #0b5fa5; color: #0b5fa5; }
    div.unsure { filter: drop-shadow(0 0 1px #000) drop-shadow(0 0 1px #000); }
    p { position: fixed; box-sizing: border-box; margin: 0; width: max-content; max-width: 320px; padding: 5px 9px; border: 1px solid #fff; border-radius: 6px; background: #1c2430; color: #fff; font: 13px/1.4 system-ui, sans-serif; white-space: pre-line; }
    small { display: block; margin-top: 3px; font-size: 11px; color: #c4cbd6; }
    span { position: fixed; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }`;

  // Links to pages that are known, without being promising.
  let ticked = [];
  let highlighted = [], overlay = null, inside = null, tip = null, spoken = null, placing = 0, waiting = 0;
  let pointed = null, toast = null, saying = 0;

  // What an element stands in, also if that is the host of its shadow root.
  const around = (element) => element.parentElement ?? element.getRootNode().host ?? null;

  // The part of a shape of a link that a person can see: what it stands in may cut it off,
  // or hide all of it.
  function seenPart(element, shape) {
    let { left, top, right, bottom } = shape;
    for (let node = element; node instanceof Element; node = around(node)) {
      const { overflowX, overflowY, clipPath, clip, opacity, filter } = getComputedStyle(node);
      if (Number(opacity) < 0.1 || /opacity\(0/.test(filter)) return null;
      if (clipPath !== "none" && /inset\((50|100)%|circle\(0|polygon\(0(px|%)? 0(px|%)?, 0(px|%)? 0/.test(clipPath)) return null;
      if (/rect\(0px,? 0px,? 0px,? 0px\)|rect\(1px,? 1px,? 1px,? 1px\)/.test(clip)) return null;
      if (node === element || node === document.body || node === document.documentElement) continue;
      const box = node.getBoundingClientRect();
      if (overflowX !== "visible") [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      if (overflowY !== "visible") [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
      if (right - left < SEEN || bottom - top < SEEN) return null;
    }
    const { scrollWidth, scrollHeight } = document.documentElement;
    const isOnPage = right + scrollX > 0 && bottom + scrollY > 0 && left + scrollX < Math.max(scrollWidth, innerWidth) && top + scrollY < Math.max(scrollHeight, innerHeight);
    return isOnPage ? { left, top, width: right - left, height: bottom - top } : null;
  }

  const shapesOf = (element) => [...element.getClientRects()].filter(({ width, height }) => width >= SEEN && height >= SEEN);

  // Whether a person can see a link: it is drawn, large enough, on the page, not cut off
  // by what it stands in, and not in the colour of what lies behind it. What is only scrolled
  // away counts as seen.
  function isSeen(element) {
    const drawn = element.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true, opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
    if (drawn === false) return false;
    return shapesOf(element).some((shape) => seenPart(element, shape) ?? isScrolledAway(element, shape)) && hasInk(element);
  }

  function isScrolledAway(element, shape) {
    for (let node = around(element); node && node !== document.body; node = around(node)) {
      const { overflowX, overflowY } = getComputedStyle(node);
      const scrolls = (kind, inner, outer) => (kind === "auto" || kind === "scroll") && inner > outer;
      if (!scrolls(overflowX, node.scrollWidth, node.clientWidth) && !scrolls(overflowY, node.scrollHeight, node.clientHeight)) continue;
      const { left, top } = node.getBoundingClientRect();
      const [x, y] = [shape.left - left + node.scrollLeft, shape.top - top + node.scrollTop];
      return x >= 0 && y >= 0 && x < node.scrollWidth && y < node.scrollHeight;
    }
    return false;
  }

  const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
  const isPicture = (element) => element.querySelector("img, svg, picture, canvas, video") !== null;

  // The colour that lies behind an element; null where that is a picture.
  function groundOf(element) {
    for (let node = element; node instanceof Element; node = around(node)) {
      const { backgroundColor, backgroundImage } = getComputedStyle(node);
      if (backgroundImage !== "none") return null;
      const ground = channels(backgroundColor);
      if (ground.length === 3 || ground[3] >= 0.5) return ground;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches && /dark/.test(getComputedStyle(document.documentElement).colorScheme) ? [18, 18, 18] : [255, 255, 255];
  }

  function hasInk(element) {
    if (isPicture(element)) return true;
    const { color, fontSize, textIndent } = getComputedStyle(element);
    if (parseFloat(fontSize) < 4 || Math.abs(parseFloat(textIndent)) > 500) return false;
    const ink = channels(color);
    if (ink.length > 3 && ink[3] < 0.1) return false;
    const ground = groundOf(element);
    return ground === null || [0, 1, 2].some((part) => Math.abs(ink[part] - ground[part]) > 8);
  }

  function brightness(colour) {
    const [red, green, blue] = colour.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  function contrast(one, other) {
    const [dark, light] = [brightness(one), brightness(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  }

  const inkOn = (ground) => INKS.find((ink) => contrast(ink, ground) >= STANDS_OUT) ?? INKS[2];

  // The page sees one plain element without attributes, and only where there is
  // something to draw.
  function open() {
    if (!overlay) {
      overlay = document.createElement("div");
      inside = overlay.attachShadow({ mode: "closed" });
      const style = document.createElement("style");
      style.textContent = STYLE;
      spoken = document.createElement("span");
      spoken.setAttribute("role", "status");
      inside.append(style, spoken);
    }
    if (!overlay.isConnected) document.documentElement.append(overlay);
  }

  const drawn = () => [...highlighted, ...ticked];

  function clear() {
    for (const { marks } of drawn()) marks.forEach((mark) => mark.remove());
    [highlighted, ticked] = [[], []];
    hideTip();
  }

  function draw(view, elements) {
    clear();
    const seen = [];
    for (const link of view?.links ?? []) {
      if (seen.length >= view.most) break;
      const element = elements[link.place];
      if (element?.isConnected && isSeen(element)) seen.push({ element, link });
    }
    const others = (view?.ticked ?? []).map(({ place, known }) => ({ element: elements[place], grade: 0, why: known, known, marks: [] }));
    ticked = others.filter(({ element }) => element?.isConnected && isSeen(element));
    if (seen.length + ticked.length > 0) open();
    seen.sort((a, b) => a.link.place - b.link.place);
    highlighted = seen.map(({ element, link }) => ({ element, grade: link.grade, why: link.why, known: link.known, marks: [] }));
    place();
  }

  // What is to be drawn of one link: an element's name, class and style each.
  function marksOf({ element, grade, known }, origin) {
    if (!element.isConnected) return [];
    const shapes = shapesOf(element).map((shape) => seenPart(element, shape)).filter((shape) => shape !== null);
    if (shapes.length === 0) return [];
    const at = (left, top) => `left: ${left - origin.left}px; top: ${top - origin.top}px`;
    const last = shapes[shapes.length - 1];
    const rings = element === document.activeElement || element === pointed;
    if (isPicture(element)) {
      if (grade === 0) return [];
      const largest = shapes.reduce((a, b) => (b.width * b.height > a.width * a.height ? b : a));
      return [["i", "corner", `${at(largest.left + 5, largest.top + 5)}; background: ${grade === 3 ? "#0b5fa5" : grade === 2 ? "linear-gradient(90deg, #0b5fa5 50%, #fff 50%)" : "#fff"}`]];
    }
    const ground = groundOf(element);
    const ink = `color: rgb(${ground ? inkOn(ground) : "255 255 255"})`;
    const kind = ground ? "" : "unsure";
    // A page that is known already has a tick behind its marker.
    const tick = known ? [["b", kind, `${at(last.left + last.width + (grade > 0 ? 5 : 1), last.top - 9)}; ${ink}`]] : [];
    if (grade === 0) return tick;
    const lines = shapes.map(({ left, top, width, height }) => {
      if (rings) return ["div", kind, `${at(left - 5, top - 4)}; width: ${width + 10}px; height: ${height + 8}px; ${ink}; border: ${LINES[grade]}; border-radius: 4px`];
      return ["div", kind, `${at(left, top)}; width: ${width}px; height: ${height + 2}px; ${ink}; border-bottom: ${LINES[grade]}`];
    });
    return [...lines, ...tick, ["i", kind, `${at(last.left + last.width - 2, last.top - 3)}; ${ink}; background: ${FILLINGS[grade]}`]];
  }

  // Puts what is drawn where the links are now.
  function place() {
    placing = 0;
    const origin = overlay?.isConnected ? overlay.getBoundingClientRect() : null;
    for (const one of drawn()) {
      const wanted = origin ? marksOf(one, origin) : [];
      while (one.marks.length > wanted.length) one.marks.pop().remove();
      wanted.forEach(([name, kind, style], number) => {
        if (one.marks[number]?.localName !== name) {
          one.marks[number]?.remove();
          one.marks[number] = inside.appendChild(document.createElement(name));
        }
        one.marks[number].className = kind;
        one.marks[number].style.cssText = style;
      });
    }
  }

  function placeSoon() {
    if (highlighted.length + ticked.length > 0) placing ||= requestAnimationFrame(place);
  }

  // The one line that says why, or why not, near the link the person is on: below it, or above
  // where below is no room.
  function showTip({ element, why, grade, known }) {
    hideTip();
    if (!why) return;
    open();
    tip = inside.appendChild(document.createElement("p"));
    tip.textContent = known && known !== why ? `${why}\n${known}` : why;
    if (grade > 0) tip.append(Object.assign(document.createElement("small"), { textContent: ACTIONS }));
    const link = element.getBoundingClientRect(), { width, height } = tip.getBoundingClientRect();
    const below = link.bottom + 8, above = link.top - height - 8;
    const top = below + height > innerHeight && above >= 0 ? above : Math.min(below, innerHeight - height - 4);
    tip.style.cssText = `left: ${Math.max(4, Math.min(link.left, innerWidth - width - 4))}px; top: ${Math.max(4, top)}px`;
    spoken.textContent = grade > 0 ? `${chrome.i18n.getMessage("promising_grade", [String(grade)])} ${tip.firstChild.data}` : why;
  }

  // Says what came of something, at the foot of the window, for a while.
  function say(text) {
    open();
    toast?.remove();
    toast = inside.appendChild(document.createElement("p"));
    toast.textContent = text;
    toast.style.cssText = "left: 16px; bottom: 16px";
    spoken.textContent = text;
    clearTimeout(saying);
    saying = setTimeout(() => toast.remove(), SAID);
  }

  function hideTip() {
    clearTimeout(waiting);
    tip?.remove();
    tip = null;
  }

  // The person points at something, or is led to it by the keyboard: the tip comes after a
  // moment, or at once.
  function point(path, atOnce) {
    const found = drawn().find(({ element }) => path.includes(element));
    if (pointed !== (found?.element ?? null)) {
      pointed = found?.element ?? null;
      placeSoon();
    } else if (tip) {
      return;
    }
    hideTip();
    if (found && atOnce) showTip(found);
    else if (found) waiting = setTimeout(showTip, POINTED, found);
  }

  // Says something of any link.
  function tell(element, why) {
    const grade = highlighted.find((one) => one.element === element)?.grade ?? 0;
    showTip({ element, why, grade });
  }

  // For the extension's own pages.
  function shown() {
    const links = highlighted.map(({ element, grade, why, known }) => ({ href: String(element.href), text: textOf(element), grade, why, known: known ?? "" }));
    return { links, ticked: ticked.map(({ element, known }) => ({ href: String(element.href), known })), tip: tip?.firstChild.data ?? null, said: toast?.isConnected ? toast.textContent : null };
  }

  function textOf(element) {
    const text = element.textContent.trim() || element.querySelector("img[alt]")?.alt || "";
    return text.replace(/\s+/g, " ").slice(0, LONGEST_TEXT);
  }

  // Brings a highlighted link, by its number, before the person's eyes.
  function reach(number) {
    const element = highlighted[number]?.element;
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "center" });
  }

  return { element: () => overlay, highlighted: () => highlighted, draw, clear, placeSoon, point, tell, say, hideTip, textOf, shown, reach };
};
