// Runs in every page that may be read. Takes the page down as flat data, sends
// it to the background, draws what comes back, reports what the person
// follows. Decides nothing: which links are promising is the background's word.
(() => {
  const SPACELESS = /\P{White_Space}/u;
  const SEPARATOR = "\u0001";
  const WITHOUT_LEAVES = new Set(["head", "script", "style", "noscript", "template", "iframe", "object"]);
  const FIELDS = new Set(["input", "select", "textarea", "button"]);
  const XHTML = "http://www.w3.org/1999/xhtml";
  const XLINK = "http://www.w3.org/1999/xlink";
  const MOST_LEAVES = 200000;
  const TIP = "linkscent-tip";
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
  const [rootOf, titleOf] = ["documentElement", "title"].map((name) => getter(Document.prototype, name));
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
      if (WITHOUT_LEAVES.has(nameOf(node)) || nameOf(node) === TIP) return false;
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

  let highlighted = [];

  function clear() {
    for (const { element, described } of highlighted) {
      element.removeAttribute("data-linkscent");
      if (described === null) element.removeAttribute("aria-description");
      else element.setAttribute("aria-description", described);
    }
    highlighted = [];
    hideTip();
  }

  function draw(view, elements) {
    clear();
    for (const link of view?.links ?? []) {
      const element = elements[link.place];
      if (!element?.isConnected) continue;
      highlighted.push({ element, why: link.why, described: element.getAttribute("aria-description") });
      element.setAttribute("data-linkscent", String(link.grade));
      element.setAttribute("aria-description", `Promising link, ${link.grade} of 3. ${link.why}`);
    }
    document.documentElement.setAttribute("data-linkscent-links", String(highlighted.length));
  }

  let reading = false, again = false;

  async function read() {
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    do {
      again = false;
      const { page, elements } = walk();
      known = JSON.stringify(page);
      draw(await tell({ kind: "page", page, started: performance.timeOrigin }), elements);
    } while (again);
    reading = false;
  }

  // A page that changes is read again a moment later, and only if its words or
  // links are others; one that changes all the time, ever more seldom.
  let known = "", settling = 0, patience = SETTLED, lastRead = 0;

  function changed() {
    const rest = lastRead + patience - performance.now();
    settling ||= setTimeout(readChanged, Math.max(SETTLED, rest));
  }

  function readChanged() {
    settling = 0;
    if (document.hidden) return; // it is read when it comes into view
    const whole = highlighted.every(({ element }) => element.isConnected);
    if (whole && JSON.stringify(walk().page) === known) return;
    patience = performance.now() - lastRead > 2 * SELDOM ? SETTLED : Math.min(2 * patience, SELDOM);
    lastRead = performance.now();
    read();
  }

  // The one line that says why, beside the link the person is on.
  let tip = null;

  function showTip(element, text) {
    hideTip();
    if (!text) return;
    tip = document.createElement(TIP);
    const box = tip.attachShadow({ mode: "closed" }).appendChild(document.createElement("div"));
    box.textContent = text;
    const place = element.getBoundingClientRect();
    const style = {
      position: "fixed", left: `${Math.max(4, Math.min(place.left, innerWidth - 340))}px`, top: `${place.bottom + 6}px`,
      "max-width": "320px", padding: "5px 9px", "border-radius": "6px", background: "#1c2430", color: "#fff",
      font: "13px/1.4 system-ui, sans-serif", "z-index": "2147483647", "pointer-events": "none",
    };
    for (const [name, value] of Object.entries(style)) box.style.setProperty(name, value);
    document.documentElement.append(tip);
  }

  function hideTip() {
    tip?.remove();
    tip = null;
  }

  function onPointed(event) {
    const link = event.target instanceof Element ? event.target.closest("[data-linkscent]") : null;
    const found = link && highlighted.find(({ element }) => element === link);
    if (found) showTip(found.element, found.why);
    else hideTip();
  }

  // Only what the person does counts; a page's own script cannot make trails.
  function onFollowed(event) {
    if (!event.isTrusted || event.defaultPrevented) return;
    const link = event.composedPath().find((node) => node instanceof Element && hrefOf(node) !== null);
    if (!link) return;
    const { page, elements } = walk();
    const newTab = event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey || link.target === "_blank";
    tell({ kind: "followed", page, place: elements.indexOf(link), newTab });
  }

  function onKey(event) {
    if (!event.isTrusted || !event.altKey || !event.shiftKey || event.code !== "KeyJ") return;
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
  addEventListener("pageshow", (event) => event.persisted && read());

  chrome.runtime.onMessage.addListener((message, _sender, answer) => {
    if (message.kind === "snapshot") answer(walk().page);
    if (message.kind === "refresh") read();
  });

  new MutationObserver((changes) => {
    const own = (node) => node.localName === TIP;
    if (changes.every(({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes].every(own))) return;
    changed();
  }).observe(document, { childList: true, subtree: true });
  addEventListener("visibilitychange", () => document.hidden || changed());

  read();
})();
