// Runs in every page that may be read. Asks whether it is one; takes the page down as
// flat data, sends it to the background, draws what comes back, reports what the person
// follows. Decides nothing but what anybody can see: which links are promising is the
// background's word. Nothing of it stands in the page's own tree: highlights and reasons
// are drawn in a shadow root that the page cannot look into.
(() => {
  // A page that was open before is given the script once more after an update: what is
  // there already stays, unless the browser has cut it off.
  if (globalThis.linkscentReads?.()) return;
  globalThis.linkscentReads = () => Boolean(chrome.runtime?.id);
  const SPACELESS = /\P{White_Space}/u;
  const SEPARATOR = "\u0001";
  const WITHOUT_LEAVES = new Set(["head", "script", "style", "noscript", "template", "iframe", "object"]);
  const FIELDS = new Set(["input", "select", "textarea", "button"]);
  const XHTML = "http://www.w3.org/1999/xhtml";
  const XLINK = "http://www.w3.org/1999/xlink";
  const MOST_LEAVES = 200000;
  const LONGEST_SELECTION = 300;
  // Fields that hold what nobody else is to know.
  const PRIVATE_FIELDS = 'input[type="password" i], input[autocomplete*="password" i], input[autocomplete^="cc-" i], input[autocomplete*=" cc-" i], input[autocomplete~="one-time-code" i]';
  const PRIVATE_NAMES = /(^|[^a-z])(card.?(num(ber)?|no)|cc.?(num(ber)?|no|csc|cvc|cvv)|cvv2?|cvc2?|csc|otp|totp|one.?time.?(code|pass\w*)|iban|passcode)([^a-z]|$)/i;
  const TYPED = new Set(["text", "tel", "number", "password"]);
  const SETTLED = 600; // milliseconds from a change until a page is read again
  const SELDOM = 15000; // milliseconds between readings of a page that changes all the time

  // Read by the getters of the prototype: a form's own properties may be hidden
  // behind fields that are named like them.
  function getter(prototype, name) {
    const { get } = Object.getOwnPropertyDescriptor(prototype, name);
    return (node) => get.call(node);
  }
  const [typeOf, firstOf, nextOf, previousOf, parentOf] = ["nodeType", "firstChild", "nextSibling", "previousSibling", "parentNode"]
    .map((name) => getter(Node.prototype, name));
  const [nameOf, namespaceOf] = ["localName", "namespaceURI"].map((name) => getter(Element.prototype, name));
  const [rootOf, titleOf, referrerOf] = ["documentElement", "title", "referrer"].map((name) => getter(Document.prototype, name));
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name);

  // The href of a link, or null for what is none.
  function hrefOf(element) {
    const name = nameOf(element);
    if (name !== "a" && name !== "area") return null;
    return attribute(element, "href") ?? element.getAttributeNS(XLINK, "href");
  }

  function attributes(element, names) {
    return names.map((name) => attribute(element, name)).filter((value) => value !== null).join(" ");
  }

  function fieldOf(element) {
    const name = nameOf(element);
    const kind = name === "input" ? (attribute(element, "type") || "text").toLowerCase() : name;
    let label = "";
    if (["submit", "button", "reset", "image"].includes(kind)) {
      label = attribute(element, "value") || element.textContent;
    }
    const options = name === "select" ? element.querySelectorAll("option").length : 0;
    return { kind, naming: attributes(element, ["name", "id", "class", "placeholder"]), label, options };
  }

  // One pass over the document, in order. Returns the flat page and the link
  // elements in the order in which they are numbered.
  function walk() {
    const leaves = [], links = [], hrefs = [], headings = [], forms = [], elements = [];
    const formPlaces = new Map(), open = [];
    let truncated = false;

    function leaf(text) {
      if (leaves.length >= MOST_LEAVES) truncated = true;
      else leaves.push(text.replaceAll(SEPARATOR, " "));
    }

    function enterElement(element) {
      const name = nameOf(element);
      const html = namespaceOf(element) === XHTML;
      const href = hrefOf(element);
      if (href !== null) {
        open.push([element, links, links.length + 1]);
        links.push(leaves.length, leaves.length);
        hrefs.push(href);
        elements.push(element);
      }
      if (html && /^h[1-6]$/.test(name)) {
        open.push([element, headings, headings.length + 2]);
        headings.push(Number(name[1]), leaves.length, leaves.length);
      }
      if (html && name === "form") {
        const range = [leaves.length, leaves.length];
        formPlaces.set(element, forms.length);
        open.push([element, range, 1]);
        forms.push({
          action: attribute(element, "action") ?? "",
          method: (attribute(element, "method") || "get").toLowerCase(),
          naming: attributes(element, ["name", "id", "class"]),
          fields: [],
          leaves: range,
        });
      } else if (html && FIELDS.has(name) && formPlaces.has(element.form)) {
        const form = forms[formPlaces.get(element.form)];
        form.fields.push(fieldOf(element));
        // A form begun inside a table does not hold its fields.
        if (attribute(element, "form") === null) form.leaves[1] = leaves.length;
      }
      if (firstOf(element) === null) {
        leaf(name === "img" || name === "area" ? attribute(element, "alt") ?? "" : "");
      }
    }

    const isText = (node) => node !== null && typeOf(node) === Node.TEXT_NODE;

    // Whether the inside of the node is to be walked too.
    function enter(node) {
      if (typeOf(node) === Node.TEXT_NODE) {
        if (isText(previousOf(node))) return false;
        let text = node.data;
        for (let more = nextOf(node); isText(more); more = nextOf(more)) text += more.data;
        if (SPACELESS.test(text)) leaf(text);
        return false;
      }
      if (typeOf(node) !== Node.ELEMENT_NODE) return false;
      if (WITHOUT_LEAVES.has(nameOf(node)) || node === overlay) return false;
      enterElement(node);
      return true;
    }

    function leave(node) {
      while (open.length > 0 && open[open.length - 1][0] === node) {
        const [, list, place] = open.pop();
        list[place] = leaves.length;
      }
    }

    const root = rootOf(document);
    let node = root;
    while (node) {
      if (enter(node) && firstOf(node)) {
        node = firstOf(node);
        continue;
      }
      leave(node);
      while (node !== root && !nextOf(node)) {
        node = parentOf(node);
        leave(node);
      }
      node = node === root ? null : nextOf(node);
    }
    const page = {
      url: location.href,
      title: titleOf(document),
      description: document.querySelector('meta[name="description" i]')?.getAttribute("content") ?? "",
      lang: root.getAttribute("lang"),
      base: document.querySelector("base[href]")?.getAttribute("href") ?? null,
      leafCount: leaves.length,
      leaves: leaves.join(SEPARATOR),
      links, hrefs, headings, forms, truncated,
    };
    return { page, elements };
  }

  // The background may be just being stopped: a message lost on the way is
  // sent once more.
  async function tell(message) {
    try {
      return await chrome.runtime.sendMessage(message);
    } catch {
      try {
        return await chrome.runtime.sendMessage(message);
      } catch {
        return null; // the extension was removed or updated
      }
    }
  }

  // Why the page is not read, if that shows on the page itself.
  function privateField() {
    if (document.querySelector(PRIVATE_FIELDS)) return "it has a field for a password, a card or a code";
    for (const input of document.querySelectorAll("input")) {
      const kind = (attribute(input, "type") || "text").toLowerCase();
      const naming = attributes(input, ["name", "id", "autocomplete", "placeholder"]);
      if (TYPED.has(kind) && PRIVATE_NAMES.test(naming)) return "it has a field for a password, a card or a code";
    }
    return null;
  }

  // Whether a person can see a link: it is drawn, large enough, on the page, not cut off
  // by what it stands in, and not in the colour of what lies behind it.
  function isSeen(element) {
    const drawn = element.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true, opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
    if (drawn === false) return false;
    const shapes = [...element.getClientRects()].filter(({ width, height }) => width >= 4 && height >= 4);
    return shapes.some((shape) => isInside(element, shape)) && hasInk(element);
  }

  function isInside(element, shape) {
    let { left, top, right, bottom } = shape;
    for (let node = element; node instanceof Element; node = node.parentElement) {
      const { overflowX, overflowY, clipPath, clip, opacity, filter } = getComputedStyle(node);
      if (Number(opacity) < 0.1 || /opacity\(0/.test(filter)) return false;
      if (clipPath !== "none" && /inset\((50|100)%|circle\(0|polygon\(0(px|%)? 0(px|%)?, 0(px|%)? 0/.test(clipPath)) return false;
      if (/rect\(0px,? 0px,? 0px,? 0px\)|rect\(1px,? 1px,? 1px,? 1px\)/.test(clip)) return false;
      if (node === element || node === document.body || node === document.documentElement) continue;
      const box = node.getBoundingClientRect();
      if (overflowX === "hidden" || overflowX === "clip") [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      if (overflowY === "hidden" || overflowY === "clip") [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
      if (right - left < 4 || bottom - top < 4) return false;
    }
    const { scrollWidth, scrollHeight } = document.documentElement;
    return right + scrollX > 0 && bottom + scrollY > 0 && left + scrollX < Math.max(scrollWidth, innerWidth) && top + scrollY < Math.max(scrollHeight, innerHeight);
  }

  const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);

  function hasInk(element) {
    if (element.querySelector("img, svg, picture, canvas, video")) return true;
    const { color, fontSize, textIndent } = getComputedStyle(element);
    if (parseFloat(fontSize) < 4 || Math.abs(parseFloat(textIndent)) > 500) return false;
    const ink = channels(color);
    if (ink.length > 3 && ink[3] < 0.1) return false;
    for (let node = element; node instanceof Element; node = node.parentElement) {
      const { backgroundColor, backgroundImage } = getComputedStyle(node);
      if (backgroundImage !== "none") return true;
      const ground = channels(backgroundColor);
      if (ground.length > 3 && ground[3] < 0.5) continue;
      return [0, 1, 2].some((part) => Math.abs(ink[part] - ground[part]) > 8);
    }
    return [0, 1, 2].some((part) => ink[part] < 247); // on the browser's white
  }

  // Highlights lie over their links, in document coordinates: nothing of the page moves,
  // and nothing of them takes the pointer. `GRADES` tells grades apart without colour.
  const GRADES = { 3: "outline: 3px solid #0b5fa5; background: rgb(255 214 102 / 40%)", 2: "outline: 2px dashed #0b5fa5; background: rgb(255 214 102 / 22%)", 1: "outline: 2px dotted #0b5fa5" };
  const STYLE = `
    :host { all: initial !important; position: absolute !important; left: 0 !important; top: 0 !important; width: 0 !important; height: 0 !important; z-index: 2147483647 !important; pointer-events: none !important; }
    div { position: absolute; box-sizing: border-box; border-radius: 3px; outline-offset: 2px; mix-blend-mode: multiply; }
    p { position: fixed; margin: 0; max-width: 320px; padding: 5px 9px; border-radius: 6px; background: #1c2430; color: #fff; font: 13px/1.4 system-ui, sans-serif; }
    span { position: fixed; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    @media (prefers-color-scheme: dark) { div { mix-blend-mode: normal; } }`;

  let highlighted = [], overlay = null, inside = null, pointed = null, tip = null, spoken = null, placing = 0;

  function clear() {
    for (const { boxes } of highlighted) boxes.forEach((box) => box.remove());
    highlighted = [];
    hideTip();
  }

  // The page sees one plain element without attributes, and only where there is
  // something to draw.
  function openOverlay() {
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

  function draw(view, elements) {
    clear();
    const seen = [];
    for (const link of view?.links ?? []) {
      if (seen.length >= view.most) break;
      const element = elements[link.place];
      if (element?.isConnected && isSeen(element)) seen.push({ element, link });
    }
    if (seen.length > 0) openOverlay();
    seen.sort((a, b) => a.link.place - b.link.place);
    highlighted = seen.map(({ element, link }) => ({ element, grade: link.grade, why: link.why, boxes: [] }));
    place();
  }

  // Puts the boxes where the links are now.
  function place() {
    placing = 0;
    const origin = overlay?.isConnected ? overlay.getBoundingClientRect() : null;
    for (const { element, grade, boxes } of highlighted) {
      const shapes = element.isConnected && origin ? [...element.getClientRects()] : [];
      while (boxes.length > shapes.length) boxes.pop().remove();
      shapes.forEach(({ left, top, width, height }, number) => {
        boxes[number] ??= inside.appendChild(document.createElement("div"));
        boxes[number].style.cssText = `${GRADES[grade]}; left: ${left - origin.left}px; top: ${top - origin.top}px; width: ${width}px; height: ${height}px`;
      });
    }
  }

  function placeSoon() {
    if (highlighted.length > 0) placing ||= requestAnimationFrame(place);
  }

  let reading = false, again = false;

  // Why the page is not read; null if it is.
  const NOT_YET = "it was not looked at yet";
  let refused = NOT_YET, forgotten = null;

  async function mayRead() {
    const answer = await tell({ kind: "may_read", loaded: loadedFrom(), isPrivate: privateField() !== null });
    refused = forgotten ?? privateField() ?? answer?.refused ?? (answer?.error ? "Linkscent did not answer" : null);
    return refused === null;
  }

  // The page as it is now, also if it is asked for before the page was read.
  async function snapshot() {
    if (refused === NOT_YET) await mayRead();
    refused = forgotten ?? privateField() ?? refused;
    if (refused !== null) return { page: null, refused };
    const selected = String(getSelection() ?? "").slice(0, LONGEST_SELECTION);
    return { page: walk().page, refused, selected };
  }

  const loading = () => performance.getEntriesByType("navigation")[0];

  // Where the document came from; a page may call itself something else since.
  function loadedFrom() {
    return loading()?.name ?? location.href;
  }

  // When the page came to be shown, and how. A document is shown once more when the person
  // comes back to it, and is another page when it calls itself one.
  const bare = (url) => url.split("#")[0];
  let showing = { at: performance.timeOrigin, how: loading()?.type ?? "navigate" }, named = bare(location.href);

  function showsNow(how) {
    showing = { at: performance.timeOrigin + performance.now(), how };
    named = bare(location.href);
  }

  async function read() {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    do {
      again = false;
      if (!(await mayRead())) {
        clear();
        break;
      }
      const { page, elements } = walk();
      known = JSON.stringify(page);
      if (bare(page.url) !== named) showsNow("same_document");
      const shown = { ...showing, referrer: referrerOf(document) };
      const view = await tell({ kind: "page", page, started: performance.timeOrigin, showing: shown, loaded: loadedFrom() });
      // What failed on this page is not tried again when the popup asks for it.
      if (view?.error) refused = "Linkscent failed on it";
      if (forgotten) break;
      draw(view?.links ? view : null, elements);
      isRead = true;
    } while (again);
    reading = false;
  }

  // A page that changes is read again a moment later, and only if its words or
  // links are others; one that changes all the time, ever more seldom.
  let known = "", isRead = false, settling = 0, patience = SETTLED, lastRead = 0;

  function changed() {
    const rest = lastRead + patience - performance.now();
    settling ||= setTimeout(readChanged, Math.max(SETTLED, rest));
  }

  function readChanged() {
    settling = 0;
    if (document.hidden) return; // it is read when it comes into view
    const whole = highlighted.every(({ element }) => element.isConnected);
    placeSoon();
    if (refused === null && privateField() === null && whole && JSON.stringify(walk().page) === known) return;
    patience = performance.now() - lastRead > 2 * SELDOM ? SETTLED : Math.min(2 * patience, SELDOM);
    lastRead = performance.now();
    read();
  }

  // The one line that says why, or why not, beside the link the person is on.
  function showTip({ element, why, grade }) {
    hideTip();
    if (!why) return;
    openOverlay();
    tip = inside.appendChild(document.createElement("p"));
    tip.textContent = why;
    const { left, bottom } = element.getBoundingClientRect();
    tip.style.cssText = `left: ${Math.max(4, Math.min(left, innerWidth - 340))}px; top: ${bottom + 6}px`;
    spoken.textContent = grade > 0 ? `Promising link, ${grade} of 3. ${why}` : why;
  }

  function hideTip() {
    tip?.remove();
    tip = null;
  }

  const isLink = (node) => node instanceof Element && hrefOf(node) !== null;

  function onPointed(event) {
    const path = event.composedPath();
    pointed = path.find(isLink) ?? null;
    const found = highlighted.find(({ element }) => path.includes(element));
    if (found) showTip(found);
    else hideTip();
  }

  // Only what the person does counts; a page's own script cannot make trails.
  function onFollowed(event) {
    if (!event.isTrusted || event.defaultPrevented) return;
    const link = event.composedPath().find(isLink);
    if (!link || refused !== null || privateField() !== null) return;
    const { page, elements } = walk();
    const newTab = event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey || link.target === "_blank";
    tell({ kind: "followed", page, place: elements.indexOf(link), newTab, loaded: loadedFrom() });
  }

  // Of any link that is pointed at or focused.
  async function tellWhy() {
    const element = isLink(document.activeElement) ? document.activeElement : pointed;
    if (!element?.isConnected || refused !== null || privateField() !== null) return;
    const { page, elements } = walk();
    const why = await tell({ kind: "why", page, place: elements.indexOf(element), loaded: loadedFrom() });
    const grade = highlighted.find((one) => one.element === element)?.grade ?? 0;
    if (why) showTip({ element, why: why.error ?? why, grade });
  }

  function onKey(event) {
    if (!event.isTrusted || !event.altKey || !event.shiftKey) return;
    if (event.code === "KeyJ") jump(event);
    if (event.code === "KeyW") tellWhy();
  }

  function jump(event) {
    if (highlighted.length === 0) return;
    const now = highlighted.findIndex(({ element }) => element === document.activeElement);
    const next = highlighted[(now + 1) % highlighted.length].element;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "center" });
    event.preventDefault();
  }

  addEventListener("click", onFollowed);
  addEventListener("auxclick", (event) => event.button === 1 && onFollowed(event));
  addEventListener("mouseover", onPointed, { passive: true });
  addEventListener("focusin", onPointed);
  addEventListener("keydown", onKey);
  addEventListener("scroll", placeSoon, { passive: true, capture: true });
  addEventListener("resize", placeSoon, { passive: true });
  addEventListener("load", placeSoon, { passive: true, capture: true });
  new ResizeObserver(placeSoon).observe(document.documentElement);
  addEventListener("pageshow", (event) => {
    if (!event.persisted || !event.isTrusted) return;
    showsNow("back_forward");
    read();
  });
  addEventListener("popstate", (event) => event.isTrusted && bare(location.href) !== named && showsNow("back_forward"));

  chrome.runtime.onMessage.addListener((message, _sender, answer) => {
    if (message.kind === "snapshot") {
      snapshot().then(answer);
      return true;
    }
    // What is drawn, for the extension's own pages.
    if (message.kind === "shown") {
      const links = highlighted.map(({ element, grade, why }) => ({ href: element.href, grade, why }));
      answer({ done: (isRead || (refused !== null && refused !== NOT_YET)) && !reading, refused, links, tip: tip?.textContent ?? null });
    }
    if (message.kind === "refresh") read();
    if (message.kind === "forgotten") {
      forgotten = "you had it forgotten; it is read again when it is loaded again";
      refused = forgotten;
      clear();
    }
  });

  new MutationObserver((changes) => {
    const own = (node) => node === overlay;
    if (changes.every(({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes].every(own))) return;
    changed();
  }).observe(document, { childList: true, subtree: true });
  addEventListener("visibilitychange", () => document.hidden || changed());

  // A page that the browser loads before anybody asked for it is read when it is shown.
  if (document.prerendering) document.addEventListener("prerenderingchange", () => read(), { once: true });
  else read();
})();
