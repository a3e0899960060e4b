// A hostile page's own script. It tries every way it has to learn what the extension shows over
// the page: `look()` returns all that it found, as plain data. Two pages that differ only in what
// is highlighted must find the same.
const rest = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const frames = async (count) => {
  for (let n = 0; n < count; n++) await new Promise((done) => requestAnimationFrame(done));
};
const box = (element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left, top, width, height].map(Math.round);
};

// What the page hears of from its first moment on.
const heard = { mutations: [], shifts: 0, long: 0, events: [], painted: [] };
const own = (node) => node.dataset?.probe !== undefined;
const watcher = new MutationObserver((changes) => {
  for (const { type, target, attributeName, addedNodes, removedNodes } of changes) {
    if (own(target) || [...addedNodes, ...removedNodes].some(own)) continue;
    const names = (nodes) => [...nodes].map((node) => node.outerHTML ?? node.nodeName).join();
    heard.mutations.push([type, target.nodeName, attributeName, names(addedNodes), names(removedNodes)].join());
  }
});
// Before that the browser itself builds the page, now in more and now in fewer steps.
addEventListener("DOMContentLoaded", () => watcher.observe(document, { childList: true, subtree: true, attributes: true, characterData: true }));
const watch = (type, heard, options = {}) => {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return;
  new PerformanceObserver((list) => list.getEntries().forEach(heard)).observe({ type, buffered: true, ...options });
};
watch("layout-shift", ({ value }) => (heard.shifts += value));
watch("longtask", () => heard.long++);
watch("largest-contentful-paint", ({ element }) => element?.getRootNode() === document || heard.painted.push(String(element)));
watch("event", ({ name, duration }) => heard.events.push([name, duration]), { durationThreshold: 16 });
for (const name of ["focusin", "focusout", "scroll", "selectionchange", "resize", "message", "click", "keydown", "animationstart", "transitionrun", "error"]) {
  addEventListener(name, ({ target, key }) => heard.mutations.push([name, target?.id ?? target?.nodeName, key].join()), true);
}

addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sourceFile }) => heard.mutations.push(["refused", violatedDirective, blockedURI, sourceFile].join()));

// Probes are elements of the page around each link: the line, the marker and the tip would cover
// some of them.
function scatterProbes() {
  const probes = [];
  for (const link of document.links) {
    const { left, right, top, bottom } = link.getBoundingClientRect();
    const places = [[left - 6, top], [left + 2, bottom - 3], [left + 2, bottom + 1], [right - 2, top - 4], [right + 3, top + 4], [right + 8, top - 4], [left + 20, bottom + 20], [left + 150, bottom + 40], [left + 20, top - 30]];
    for (const [x, y] of places) {
      const probe = document.createElement("span");
      probe.dataset.probe = `${link.id} ${Math.round(x - left)} ${Math.round(y - top)}`;
      probe.style.cssText = `position: fixed; left: ${x}px; top: ${y}px; width: 4px; height: 4px`;
      document.body.append(probe);
      probes.push(probe);
    }
  }
  return probes;
}

const name = (element) => element.id || element.dataset.probe;

// Which elements an observer says are covered, for the window and for a root of the page's own.
async function covered(targets, options) {
  const seen = {};
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting, isVisible, intersectionRatio } of entries) seen[name(target)] = [isIntersecting, isVisible ?? null, Math.round(100 * intersectionRatio)];
  }, options);
  targets.forEach((target) => observer.observe(target));
  await rest(450);
  observer.disconnect();
  return seen;
}

const extents = () => {
  const { scrollWidth, scrollHeight, clientWidth, clientHeight } = document.documentElement;
  return [scrollWidth, scrollHeight, clientWidth, clientHeight, document.body.scrollWidth, document.body.scrollHeight];
};

// How far the page reaches when a link lies at its far edge.
async function extentsAtTheEdge() {
  const found = {};
  for (const link of document.links) {
    const before = link.style.cssText;
    link.style.cssText = "position: absolute; left: 3000px; top: 2500px";
    await frames(3);
    found[link.id] = extents();
    link.style.cssText = before;
  }
  await frames(3);
  return found;
}

// Where a search or a selection ends up: in the page's own tree, or in one that is not its own.
function whereIs(selection) {
  const node = selection.anchorNode;
  if (!node) return "nowhere";
  const root = node.getRootNode();
  return [node.nodeName, root === document ? "document" : `${root} ${root.innerHTML ?? ""}`].join();
}

const WORDS = ["likely", "Likely", "Promising", "promising", "Linkscent", " in your ", "your topic", "target", "because", "meaning", "In its menu", "%"];

function searched() {
  const selection = getSelection(), found = {};
  for (const word of WORDS) {
    selection.removeAllRanges();
    const is = window.find?.(word, false, false, true) ?? null;
    found[word] = [is, whereIs(selection), String(selection)];
    for (const [direction, unit] of [["forward", "documentboundary"], ["backward", "documentboundary"], ["forward", "line"]]) {
      selection.modify("extend", direction, unit);
      found[word].push(String(selection));
    }
  }
  selection.selectAllChildren(document.documentElement);
  found.all = String(selection);
  document.execCommand("selectAll");
  found.selected = [String(selection), whereIs(selection)];
  selection.removeAllRanges();
  found.text = document.documentElement.innerText;
  return found;
}

// Every link is focused by a script, and told that it was.
async function focused() {
  const found = {};
  for (const link of document.links) {
    link.dispatchEvent(new FocusEvent("focusin", { bubbles: true, composed: true }));
    link.dispatchEvent(new MouseEvent("mouseover", { bubbles: true, composed: true }));
    await rest(30);
    const afterEvent = JSON.stringify(searched());
    link.focus();
    await rest(30);
    found[link.id] = [afterEvent, JSON.stringify(searched()), document.activeElement?.id];
    link.blur();
  }
  return found;
}

function hits() {
  const found = [];
  for (const link of document.links) {
    const { left, right, top, bottom } = link.getBoundingClientRect();
    for (let x = left - 8; x < right + 12; x += 4) {
      for (let y = top - 6; y < bottom + 8; y += 3) {
        const at = document.elementsFromPoint(x, y).map((element) => element.id || element.nodeName).join(" ");
        const caret = document.caretPositionFromPoint?.(x, y);
        found.push([at, document.elementFromPoint(x, y)?.id, caret ? [caret.offsetNode?.nodeName, caret.offset].join() : null].join("|"));
      }
    }
  }
  return found;
}

// Style sheets that ask what stands where.
function asked() {
  const selectors = ["html:has(> div)", "html:has(> iframe)", "html > :not(head, body)", "html:has(> :last-child:not(body))", "a:has(*)", "a:has(+ *)", ":focus", ":focus-visible", ":hover", "a:visited", "[style]:not([data-probe])", "[aria-describedby]", ":fullscreen", ":popover-open"];
  const matched = selectors.map((selector) => {
    try {
      return [selector, [...document.querySelectorAll(selector)].map((element) => element.id || element.nodeName)];
    } catch {
      return [selector, "unknown"];
    }
  });
  const styles = [...document.querySelectorAll("html, body, a, html > div")].map((element) => [...getComputedStyle(element)].map((key) => getComputedStyle(element)[key]).join());
  return { matched, styles };
}

function counted() {
  return {
    frames: [window.length, document.querySelectorAll("iframe").length],
    animations: document.getAnimations().length,
    highlights: globalThis.CSS?.highlights?.size ?? 0,
    sheets: [...document.styleSheets, ...document.adoptedStyleSheets].length,
    loaded: performance.getEntriesByType("resource").map((entry) => entry.name).filter((name) => !name.endsWith("/favicon.ico")),
    marks: performance.getEntriesByType("mark").length + performance.getEntriesByType("measure").length,
    globals: Object.keys(globalThis).filter((key) => /scent/i.test(key)),
    html: document.documentElement.outerHTML.replace(/<span data-probe.*?<\/span>/g, ""),
    boxes: [...document.querySelectorAll("html, body, a, html > div")].map(box),
    focus: document.activeElement?.id ?? null,
    scroll: [scrollX, scrollY],
  };
}

// All that can be learned at this moment. Whatever changes the page itself comes last.
globalThis.look = async () => {
  const first = { ...counted(), extents: extents(), hits: hits(), asked: asked() };
  const strict = { trackVisibility: true, delay: 100 };
  const links = [await covered([...document.links], {}), await covered([...document.links], strict)];
  const probes = scatterProbes();
  const around = [await covered(probes, {}), await covered(probes, strict)];
  probes.forEach((probe) => probe.remove());
  return { ...first, links, around };
};

// What takes the focus, the selection or the links away from where they are.
globalThis.pry = async () => ({ searched: searched(), focused: await focused(), edge: await extentsAtTheEdge() });

globalThis.hear = () => ({ mutations: heard.mutations, shifts: heard.shifts, painted: heard.painted });
globalThis.timing = () => ({ long: heard.long, slowest: Math.max(0, ...heard.events.map(([, duration]) => duration)) });

// What a page can measure while it is printed.
globalThis.printed = [];
addEventListener("beforeprint", () => globalThis.printed.push(JSON.stringify([extents(), counted().boxes])));
matchMedia("print").addEventListener("change", () => globalThis.printed.push(JSON.stringify([extents(), asked()])));
