// Runs in every page that may be read, and in the frames within it. Asks whether it is one; takes the page down as
// flat data, sends it to the background, draws what comes back, reports what the person
// follows. Decides nothing but what anybody can see: which links are promising is the
// background's word. Of a frame the links are pointed out, and that is all. overlay.js draws.
(() => {
  // A page that was open before is given the script once more after an update: what is
  // there already stays, unless the browser has cut it off.
  if (globalThis.linkscentReads?.()) return;
  globalThis.linkscentReads = () => Boolean(chrome.runtime?.id);
  const say = (key, values) => chrome.i18n.getMessage(key, values);
  const SPACELESS = /\P{White_Space}/u;
  const SEPARATOR = "\u0001";
  const WITHOUT_LEAVES = new Set(["head", "script", "style", "noscript", "template", "iframe", "object"]);
  const FIELDS = new Set(["input", "select", "textarea", "button"]);
  const XHTML = "http://www.w3.org/1999/xhtml";
  const XLINK = "http://www.w3.org/1999/xlink";
  // Limits on one reading: what lies behind them is not sent. A page holds up its own thread while
  // it is walked, so the walk rests after each slice.
  const MOST_NODES = 150000, MOST_LEAVES = 50000, MOST_LINKS = 10000, MOST_FORMS = 200;
  const MOST_TEXT = 1 << 20, LONGEST_HREF = 8192, LONGEST_TITLE = 4096; // characters
  const NO_PAGE = "about:blank";
  // The counts above end a walk. The time only guards against a page on which nodes cost far more
  // than usual: a slow machine reads the same of a page as a fast one.
  const LONGEST_WALK = 3000, SLICE = 8; // milliseconds
  const NODES_AT_A_TIME = 64;
  // A page with more fields, or more frames with documents of its own, counts as private.
  const MOST_INPUTS = 5000, MOST_FRAMES = 200;
  const LONGEST_SELECTION = 300;
  // Fields that hold what nobody else is to know.
  const PRIVATE_FIELDS = 'input[type="password" i], input[autocomplete*="password" i], input[autocomplete^="cc-" i], input[autocomplete*=" cc-" i], input[autocomplete~="one-time-code" i]';
  const PRIVATE_NAMES = /(^|[^a-z])(card.?(num(ber)?|no)|cc.?(num(ber)?|no|csc|cvc|cvv)|cvv2?|cvc2?|csc|otp|totp|one.?time.?(code|pass\w*)|iban|passcode)([^a-z]|$)/i;
  const TYPED = new Set(["text", "tel", "number", "password"]);
  const SETTLED = 600; // milliseconds from a change until a page is read again
  const LOADING = 2000; // milliseconds that a page may take to load before it is read
  const IDLE = 200; // and that it may be busy after that
  const SMALLEST_FRAME = [200, 100]; // pixels, wide and high, from which a frame is read
  const TABBED = 500; // milliseconds from a press of the Tab key to the focus that it moves
  const SELDOM = 15000; // milliseconds between readings of a page that changes all the time
  const SHARE = 30; // a page that changes all the time is left alone so many times longer than it takes to read

  // Read by the getters of the prototype: a form's own properties may be hidden
  // behind fields that are named like them.
  function getter(prototype, name) {
    const { get } = Object.getOwnPropertyDescriptor(prototype, name);
    return (node) => get.call(node);
  }
  const [typeOf, firstOf, nextOf, previousOf, parentOf] = ["nodeType", "firstChild", "nextSibling", "previousSibling", "parentNode"]
    .map((name) => getter(Node.prototype, name));
  const [nameOf, namespaceOf] = ["localName", "namespaceURI"].map((name) => getter(Element.prototype, name));
  const shadowOf = getter(Element.prototype, "shadowRoot"), hostOf = getter(ShadowRoot.prototype, "host");
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

  // One pass over the document, in order. Yields now and then. Returns the flat page and the link
  // elements in the order in which they are numbered.
  function* walking() {
    const leaves = [], links = [], hrefs = [], headings = [], forms = [], elements = [];
    const formPlaces = new Map(), open = [];
    const url = location.href;
    let truncated = false, isPrivateInside = false, length = 0;
    // Where the head has none, these may stand in the body.
    let base = document.head?.querySelector("base[href]") ?? null;
    let description = document.head?.querySelector('meta[name="description" i]') ?? null;

    // Whether there is room for so much more text.
    function hasRoom(text) {
      if (length + text.length > MOST_TEXT) truncated = true;
      else length += text.length;
      return !truncated;
    }

    function leaf(text) {
      if (leaves.length >= MOST_LEAVES) truncated = true;
      else if (hasRoom(text)) leaves.push(text.replaceAll(SEPARATOR, " "));
    }

    function enterLink(element, href) {
      if (elements.length >= MOST_LINKS) {
        truncated = true;
        return;
      }
      const sent = sentHref(href);
      if (!hasRoom(sent)) return;
      open.push([element, links, links.length + 1]);
      links.push(leaves.length, leaves.length);
      hrefs.push(sent);
      elements.push(element);
    }

    function enterElement(element) {
      const name = nameOf(element);
      if (name === "input" && element.getRootNode() !== document && isPrivate(element)) isPrivateInside = true;
      if (name === "base" && element.matches("html base[href]")) base ??= element;
      if (name === "meta" && element.matches('html meta[name="description" i]')) description ??= element;
      if (shadowOf(element) !== null) watch(shadowOf(element));
      const html = namespaceOf(element) === XHTML;
      const href = hrefOf(element);
      if (href !== null) enterLink(element, href);
      if (html && /^h[1-6]$/.test(name)) {
        open.push([element, headings, headings.length + 2]);
        headings.push(Number(name[1]), leaves.length, leaves.length);
      }
      if (html && name === "form" && forms.length > MOST_FORMS) truncated = true;
      else if (html && name === "form") {
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
        if (form.fields.length <= MOST_FORMS) form.fields.push(fieldOf(element));
        // A form begun inside a table does not hold its fields.
        if (attribute(element, "form") === null) form.leaves[1] = leaves.length;
      }
      if (firstOf(element) === null && shadowOf(element) === null) {
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
      if (WITHOUT_LEAVES.has(nameOf(node)) || node === overlay.element()) return false;
      enterElement(node);
      return true;
    }

    function leave(node) {
      while (open.length > 0 && open[open.length - 1][0] === node) {
        const [, list, place] = open.pop();
        list[place] = leaves.length;
      }
    }

    // What is inside a node: what an open shadow root shows comes before what is slotted into it.
    const insideOf = (node) => (typeOf(node) === Node.ELEMENT_NODE && shadowOf(node) ? firstOf(shadowOf(node)) : null) ?? firstOf(node);

    // What comes when a node and its inside are done.
    function after(node) {
      while (node !== root) {
        leave(node);
        const next = nextOf(node);
        if (next) return next;
        const parent = parentOf(node);
        if (!parent) return null; // the page took it away
        const isShadow = typeOf(parent) === Node.DOCUMENT_FRAGMENT_NODE;
        if (isShadow && firstOf(hostOf(parent))) return firstOf(hostOf(parent));
        node = isShadow ? hostOf(parent) : parent;
      }
      leave(root);
      return null;
    }

    const root = rootOf(document);
    let node = root, nodes = 0, spent = 0, since = performance.now();
    while (node && !truncated) {
      node = (enter(node) && insideOf(node)) || after(node);
      nodes += 1;
      if (nodes % NODES_AT_A_TIME > 0) continue;
      spent += performance.now() - since;
      if (nodes >= MOST_NODES || spent > LONGEST_WALK) truncated = true;
      yield;
      since = performance.now();
      // The page may have changed meanwhile; then it is read again.
      if (node && !node.isConnected) truncated = true;
    }
    for (const [, list, place] of open) list[place] = leaves.length;
    hasPrivateShadow = isPrivateInside;
    const page = {
      url,
      title: titleOf(document).slice(0, LONGEST_TITLE),
      description: ((description && attribute(description, "content")) ?? "").slice(0, LONGEST_TITLE),
      lang: root && attribute(root, "lang"),
      base: base && attribute(base, "href"),
      leafCount: leaves.length,
      leaves: leaves.join(SEPARATOR),
      links, hrefs, headings, forms, truncated,
    };
    return { page, elements };
  }

  const sentHref = (href) => (href.length > LONGEST_HREF ? NO_PAGE : href);

  // What the page was when it was walked last, and whether it may still be so. And the milliseconds
  // spent on it since it was last left alone.
  let walked = null, isWalked = false, spent = 0;

  const rests = new MessageChannel(), resting = [];
  rests.port1.onmessage = () => resting.shift()?.();

  // Lets the page have its turn. Unlike a timer this is not slowed down in tabs that nobody sees.
  function breathe() {
    return new Promise((done) => {
      resting.push(done);
      rests.port2.postMessage(null);
    });
  }

  // Does a piece of work step by step, a few milliseconds at a time. Returns what comes of it.
  async function inSlices(work) {
    for (;;) {
      const began = performance.now();
      let step = work.next();
      while (!step.done && performance.now() - began < SLICE) step = work.next();
      spent += performance.now() - began;
      if (step.done) return step.value;
      await breathe();
    }
  }

  async function walkInSlices() {
    isWalked = true;
    walked = await inSlices(walking());
    return walked;
  }

  // The same at one go, for when the page is just being left.
  function walkNow(link) {
    if (isWalked && walked?.page.url === location.href && walked.elements.includes(link)) return walked;
    const work = walking();
    let step = work.next();
    while (!step.done) step = work.next();
    [walked, isWalked] = [step.value, true];
    return walked;
  }

  // What is watched for changes: the document, the documents of frames of the same site, and open
  // shadow roots.
  const watched = new WeakSet(), WATCHED_ATTRIBUTES = ["type", "autocomplete", "srcdoc"];
  const isOwn = ({ type, addedNodes, removedNodes }) => type === "childList" && addedNodes.length + removedNodes.length === 1 && (addedNodes[0] ?? removedNodes[0]) === overlay.element();
  const watcher = new MutationObserver((changes) => changes.every(isOwn) || changed());

  function watch(root) {
    if (watched.has(root)) return;
    watched.add(root);
    watcher.observe(root, { childList: true, subtree: true, attributeFilter: WATCHED_ATTRIBUTES });
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

  // Whether a field is for what nobody else is to know.
  function isPrivate(input) {
    if (input.matches(PRIVATE_FIELDS)) return true;
    const kind = (attribute(input, "type") || "text").toLowerCase();
    return TYPED.has(kind) && PRIVATE_NAMES.test(attributes(input, ["name", "id", "autocomplete", "placeholder"]));
  }

  // Fields in open shadow roots are met while the page is walked.
  let hasPrivateShadow = false;

  const texts = new WeakMap();

  // The page of a frame that was given it as text, and none of the site's rights.
  function written(frame) {
    const text = attribute(frame, "srcdoc");
    if (text === null) return null;
    if (texts.get(frame)?.text !== text) texts.set(frame, { text, page: new DOMParser().parseFromString(text, "text/html") });
    return texts.get(frame).page;
  }

  // Why the page is not read, if that shows on the page itself or in frames of the same site. All
  // that is looked at is watched from then on.
  function privateField() {
    const found = [document], isThere = say("unread_private_field");
    for (let n = 0; n < found.length; n++) {
      if (n > 0) watch(found[n]);
      const elements = found[n].querySelectorAll("input, iframe, frame, object");
      if (elements.length > MOST_INPUTS || found.length > MOST_FRAMES) return isThere;
      for (const element of elements) {
        if (nameOf(element) === "input") {
          if (isPrivate(element)) return isThere;
          continue;
        }
        const inner = element.contentDocument ?? written(element);
        if (inner) found.push(inner);
      }
    }
    return hasPrivateShadow ? isThere : null;
  }

  // Why there is no page of the web to read, as when the site says that there is none.
  function noPage() {
    const status = loading()?.responseStatus ?? 0, { contentType } = document;
    if (status >= 400 && bare(location.href) === bare(loadedFrom())) return say("unread_no_such_page", [String(status)]);
    return ["text/html", "application/xhtml+xml"].includes(contentType) ? null : say("unread_file", [contentType]);
  }

  const overlay = linkscentOverlay();

  const isFrame = window !== window.top;
  const isTooSmall = () => isFrame && (innerWidth < SMALLEST_FRAME[0] || innerHeight < SMALLEST_FRAME[1]);

  let reading = false, again = false;

  // Why the page is not read; null if it is.
  const NOT_YET = say("unread_not_yet");
  let refused = NOT_YET, forgotten = null;

  async function mayRead() {
    const shows = privateField() ?? noPage();
    const answer = await tell({ kind: "may_read", loaded: loadedFrom(), isPrivate: shows !== null });
    refused = forgotten ?? shows ?? answer?.refused ?? (answer?.error ? say("unread_no_answer") : null);
    return refused === null;
  }

  // The page as it is now, also if it is asked for before the page was read.
  async function snapshot() {
    if (refused === NOT_YET) await mayRead();
    refused = forgotten ?? privateField() ?? refused;
    const { page } = refused === null ? await walkInSlices() : {};
    refused = forgotten ?? privateField() ?? refused;
    if (refused !== null) return { page: null, refused };
    const selected = String(getSelection() ?? "").slice(0, LONGEST_SELECTION);
    return { page, refused, selected };
  }

  // What stays of an element that is sent for a crawl, besides its text: nothing that stands in
  // a field, no script's data.
  const SHOWN_ATTRIBUTES = new Set(["href", "content", "action", "method", "alt", "title", "lang", "name", "id", "class", "type", "placeholder", "rel", "for", "datetime", "colspan", "rowspan", "dir"]);
  const UNSENT = "script, style, noscript, template, iframe, object, embed, link, meta:not([name=description i])";
  const QUIET = 500; // milliseconds without a change until a page is taken for whole
  const LONGEST_RENDERING = 8000;

  function quiet() {
    return new Promise((resolve) => {
      let timer = setTimeout(done, QUIET);
      const end = setTimeout(done, LONGEST_RENDERING);
      const watch = new MutationObserver(() => (clearTimeout(timer), (timer = setTimeout(done, QUIET))));
      watch.observe(document, { childList: true, subtree: true, characterData: true });
      function done() {
        watch.disconnect();
        clearTimeout(timer);
        clearTimeout(end);
        resolve();
      }
    });
  }

  // The page as it is shown when it has come to rest, for a crawl; or why it is not to be sent.
  async function rendered() {
    await quiet();
    const problem = privateField() ?? noPage();
    if (problem) return { url: location.href, problem };
    const copy = rootOf(document).cloneNode(true);
    for (const element of copy.querySelectorAll(UNSENT)) element.remove();
    for (const field of copy.querySelectorAll("textarea, [contenteditable]")) field.textContent = "";
    for (const element of [copy, ...copy.querySelectorAll("*")]) {
      for (const { name } of [...element.attributes]) {
        if (!SHOWN_ATTRIBUTES.has(name)) element.removeAttribute(name);
      }
    }
    return { url: location.href, html: `<!doctype html>${copy.outerHTML}` };
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

  // What was walked just now is not walked again.
  async function read(isFresh = false) {
    if (isTooSmall()) return;
    if (reading) {
      again = true;
      return;
    }
    reading = true;
    do {
      again = false;
      if (!(await mayRead())) {
        overlay.clear();
        break;
      }
      overlay.open();
      const { page, elements } = isFresh && isWalked ? walked : await walkInSlices();
      isFresh = false;
      isRead = true;
      if (forgotten) break;
      // What shows by now, the background hears of as of other private fields.
      if (privateField() !== null) {
        await mayRead();
        overlay.clear();
        break;
      }
      if (isFrame && elements.length === 0) {
        overlay.clear();
        break;
      }
      if (bare(page.url) !== named) showsNow("same_document");
      const shown = { ...showing, referrer: referrerOf(document) };
      const loaded = loadedFrom(), started = performance.timeOrigin;
      const view = await tell(isFrame ? { kind: "frame", page, loaded } : { kind: "page", page, started, showing: shown, loaded });
      // What failed on this page is not tried again when the popup asks for it.
      if (view?.error) refused = say("unread_failed");
      if (forgotten) break;
      await inSlices(overlay.drawing(view?.links ? view : null, elements));
      isRead = true;
    } while (again);
    reading = false;
  }

  // A page is read when it has loaded and the browser has nothing better to do; one that loads
  // for ever, after a while all the same.
  function readLoaded() {
    const begin = () => (globalThis.requestIdleCallback ? requestIdleCallback(() => read(), { timeout: IDLE }) : read());
    if (document.readyState === "complete") return begin();
    let isDue = true;
    const due = () => isDue && ((isDue = false), begin());
    addEventListener("load", () => setTimeout(due), { once: true });
    setTimeout(due, LOADING);
  }

  // A page that changes is read again a moment later, and only if its words or
  // links are others; one that changes all the time, ever more seldom. Looking whether it is another
  // takes time, too: a page is left alone for many times as long.
  let isRead = false, settling = 0, patience = SETTLED, lastRead = 0, lastLook = 0;

  function changed() {
    isWalked = false;
    const now = performance.now();
    const rest = Math.max(lastRead + patience, lastLook + SHARE * spent) - now;
    settling ||= setTimeout(readChanged, Math.max(SETTLED, rest));
  }

  async function readChanged() {
    settling = 0;
    if (document.hidden) return; // it is read when it comes into view
    if (reading) return changed();
    spent = 0;
    overlay.placeSoon();
    if (refused === null && privateField() === null && overlay.isWhole()) {
      const before = walked?.page;
      const { page } = await walkInSlices();
      lastLook = performance.now();
      if (before && isSame(before, page)) return;
    }
    patience = performance.now() - lastRead > 2 * SELDOM ? SETTLED : Math.min(2 * patience, SELDOM);
    await read(true);
    lastRead = lastLook = performance.now();
  }

  // Whether two pages say the same.
  function isSame(one, other) {
    const same = (a, b) => a === b || (Array.isArray(a) && a.length === b.length && a.every((value, n) => value === b[n]));
    return Object.keys(one).every((key) => (key === "forms" ? JSON.stringify(one.forms) === JSON.stringify(other.forms) : same(one[key], other[key])));
  }

  let pointed = null, pointer = "", tabbed = -Infinity;

  const isLink = (node) => node instanceof Element && hrefOf(node) !== null;
  const linkOf = (event) => event.composedPath().find(isLink) ?? null;

  // The person points at something. When something moves under a pointer that rests, that is the
  // page's doing, as is an event that a script made.
  function onPointed(event) {
    const now = `${event.screenX} ${event.screenY}`;
    if (!event.isTrusted || now === pointer) return;
    pointer = now;
    pointed = linkOf(event);
    if (refused === null) overlay.point(pointed, false);
  }

  // A focus that follows a press of the Tab key is the person's; one that a script moves is not.
  function onFocused(event) {
    if (event.isTrusted && performance.now() - tabbed < TABBED && refused === null) overlay.point(linkOf(event), true);
  }

  // Only what the person does counts; a page's own script cannot make trails.
  function onFollowed(event) {
    if (!event.isTrusted || event.defaultPrevented) return;
    const link = linkOf(event);
    if (link) reportFollowed(link, event);
  }

  function reportFollowed(link, event) {
    if (isFrame || refused !== null || privateField() !== null) return;
    const { page, elements } = walkNow(link);
    const newTab = event.button === 1 || event.ctrlKey || event.metaKey || event.shiftKey || link.target === "_blank";
    const place = elements.indexOf(link);
    if (place >= 0) page.hrefs[place] = sentHref(hrefOf(link));
    tell({ kind: "followed", page, place, newTab, loaded: loadedFrom() });
  }

  // The link that a jump led to, or that is focused, or pointed at.
  const onLink = () => overlay.reached() ?? (isLink(document.activeElement) ? document.activeElement : pointed);

  function linkPointed() {
    const element = onLink();
    return element?.isConnected && refused === null ? { href: String(element.href), text: overlay.textOf(element) } : null;
  }

  async function tellWhy() {
    const element = onLink();
    if (!element?.isConnected || refused !== null || privateField() !== null) return;
    const { page, elements } = await walkInSlices();
    if (privateField() !== null) return;
    const why = await tell({ kind: "why", page, place: elements.indexOf(element), loaded: loadedFrom() });
    if (why) overlay.tell(element, why.error ?? why);
  }

  function onKey(event) {
    if (!event.isTrusted) return;
    if (event.code === "Tab") tabbed = performance.now();
    const writes = event.key.length === 1 && !event.altKey && document.activeElement !== document.body;
    if (event.code === "Escape" || event.code === "Tab" || writes) overlay.leave();
    if (event.key === "Enter") openReached(event);
    if (!event.altKey || !event.shiftKey) return;
    // Where the browser has these keys for the extension, no page is told of them.
    if (event.code === "KeyJ") jump(event);
    if (event.code === "KeyW") tellWhy();
  }

  // The element that had the focus when the last jump was made.
  let focused = null;

  function jump(event) {
    const highlighted = overlay.highlighted();
    if (highlighted.length === 0) return;
    const on = onLink();
    const now = highlighted.findIndex(({ element }) => element === on);
    focused = document.activeElement;
    overlay.reach((now + 1) % highlighted.length);
    event?.preventDefault();
  }

  // Enter opens the link that a jump led to, unless the person has moved the focus since. A page
  // sees a click on the link, as for every link that is followed, and no focus before.
  function openReached(event) {
    const link = overlay.reached();
    if (!link?.isConnected || event.altKey || document.activeElement !== focused) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    reportFollowed(link, event);
    const { ctrlKey, metaKey, shiftKey } = event;
    link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true, ctrlKey, metaKey, shiftKey }));
  }

  // The link whose menu the person opened last.
  let asked = null;

  function linkAsked() {
    return asked?.isConnected ? { href: String(asked.href), text: overlay.textOf(asked) } : null;
  }

  addEventListener("contextmenu", (event) => event.isTrusted && (asked = linkOf(event)));
  addEventListener("click", onFollowed);
  addEventListener("auxclick", (event) => event.button === 1 && onFollowed(event));
  addEventListener("mouseover", onPointed, { passive: true });
  addEventListener("focusin", onFocused);
  addEventListener("pointerdown", (event) => event.isTrusted && overlay.leave(), { passive: true, capture: true });
  addEventListener("keydown", onKey, true);
  const { placeSoon } = overlay;
  addEventListener("scroll", placeSoon, { passive: true, capture: true });
  addEventListener("resize", placeSoon, { passive: true });
  if (isFrame) addEventListener("resize", () => isRead || changed(), { passive: true });
  document.addEventListener("load", placeSoon, { passive: true, capture: true });
  new ResizeObserver(placeSoon).observe(document.documentElement);
  addEventListener("pageshow", (event) => {
    if (!event.persisted || !event.isTrusted) return;
    showsNow("back_forward");
    read();
  });
  addEventListener("popstate", (event) => event.isTrusted && bare(location.href) !== named && showsNow("back_forward"));

  // Whether what the person does by key is meant for this document, not for a frame within it.
  function isAtHand() {
    const isInFrame = ["iframe", "frame"].includes(document.activeElement?.localName);
    return !isInFrame && (!isFrame || document.hasFocus());
  }

  chrome.runtime.onMessage.addListener((message, _sender, answer) => {
    if (message.kind === "refresh") read();
    if (message.kind === "forgotten") {
      forgotten = say("unread_forgotten");
      refused = forgotten;
      overlay.clear();
    }
    if (isAtHand()) {
      if (message.kind === "pointed") answer(linkPointed());
      if (message.kind === "jump") jump(null);
      if (message.kind === "why") tellWhy();
    }
    if (message.kind === "snapshot") {
      snapshot().then(answer);
      return true;
    }
    if (message.kind === "rendered") {
      rendered().then(answer);
      return true;
    }
    // What is drawn, for the extension's own pages.
    if (message.kind === "shown") {
      answer({ done: (isRead || (refused !== null && refused !== NOT_YET)) && !reading, refused, ...overlay.shown() });
    }
    if (message.kind === "link") answer(linkAsked());
    if (message.kind === "told") overlay.say(message.text);
    if (message.kind === "reach") {
      focused = document.activeElement;
      overlay.reach(message.number);
    }
  });

  watch(document);
  // A frame that has loaded may have a private field.
  document.addEventListener("load", ({ target }) => ["iframe", "frame", "object"].includes(target?.localName) && changed(), true);
  addEventListener("visibilitychange", () => document.hidden || changed());

  // A page that the browser loads before anybody asked for it is read when it is shown.
  if (document.prerendering) document.addEventListener("prerenderingchange", () => readLoaded(), { once: true });
  else readLoaded();
})();
