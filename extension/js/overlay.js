// What is shown over a page: a line under each promising link, a corner on each promising
// picture, a ring around the link that a jump led to, and one tip. seen.js tells what can be seen,
// layer.js draws. Nothing of the page moves, no focus moves, and nothing takes the pointer.
globalThis.linkscentOverlay = () => {
  const LONGEST_TEXT = 80; // characters of a link's text that are told
  const SAID = 6000; // milliseconds that something said is shown
  const POINTED = 250; // milliseconds that a link is pointed at before its tip is shown
  const LONGEST_LOOK = 150; // milliseconds to find out which links can be seen
  const TURNS = 20, TURNS_SCROLLING = 3; // times as long as placing takes that it rests after it
  const SCREEN = 0.9; // part of the window that one step of a jump scrolls
  // Grades are told apart without colour: by the line's kind and the marker's filling.
  const DASHES = { 2: [6, 4], 1: [2, 3] };
  const BLUE = "rgb(11, 95, 165)", WHITE = "rgb(255, 255, 255)", BLACK = "rgb(0, 0, 0)";
  const say = (key, values) => chrome.i18n.getMessage(key, values);
  const { shapesOf, seenPart, isSeen, isPicture, groundOf, inkOn } = linkscentSeen();
  const layer = linkscentLayer();

  let highlighted = [], isPlacing = false, placed = 0, took = 0;
  // Whether links are shown in the side panel alone.
  let panelOnly = false;
  // Links to pages that are known, without being promising.
  let ticked = [];
  // The link that the last jump led to.
  let reached = null;
  let pointed = null, waiting = 0, tip = null, said = null, saying = 0;

  const drawn = () => [...highlighted, ...ticked];
  const isWhole = () => highlighted.every(({ element }) => element.isConnected);

  function clear() {
    [highlighted, ticked, reached] = [[], [], null];
    layer.show([]);
    hideTip();
  }

  // Draws step by step, so that a page with thousands of hidden links is not held up.
  function* drawing(view, elements) {
    layer.open();
    panelOnly = view?.panel_only ?? false;
    if (panelOnly) layer.quiet();
    const seen = [], others = [];
    let spent = 0;
    const canSee = (element) => {
      if (!element?.isConnected || spent > LONGEST_LOOK) return false;
      const began = performance.now(), found = isSeen(element);
      spent += performance.now() - began;
      return found;
    };
    for (const link of view?.links ?? []) {
      if (seen.length >= view.most) break;
      const element = elements[link.place];
      if (canSee(element)) seen.push({ element, link });
      yield;
    }
    for (const { place, known } of view?.ticked ?? []) {
      const element = elements[place];
      if (canSee(element)) others.push({ element, grade: 0, why: known, known });
      yield;
    }
    seen.sort((a, b) => a.link.place - b.link.place);
    highlighted = seen.map(({ element, link }) => ({ element, grade: link.grade, why: link.why, known: link.known }));
    ticked = others;
    if (!highlighted.some(({ element }) => element === reached)) reached = null;
    place();
  }

  function draw(view, elements) {
    const work = drawing(view, elements);
    while (!work.next().done);
  }

  const part = (kind, x, y, width, height, color, dash) => ({ kind, x, y, width, height, color, ...(dash && { dash }) });

  // A small square with cut corners: full for the best links, half for good ones, else hollow.
  function dot(grade, x, y, color) {
    const edges = [part("dot", x + 1, y, 5, 1.5, color), part("dot", x + 1, y + 5.5, 5, 1.5, color), part("dot", x, y + 1, 1.5, 5, color), part("dot", x + 5.5, y + 1, 1.5, 5, color)];
    return grade > 1 ? [...edges, part("dot", x + 1, y + 1, grade === 3 ? 5 : 2.5, 5, color)] : edges;
  }

  const tick = (x, y, color) => [[0, 4], [1, 5], [2, 6], [3, 5], [4, 4], [5, 3], [6, 2]].map(([right, down]) => part("tick", x + right, y + down, 2, 2, color));

  function ring(x, y, width, height, color) {
    const sides = [[x, y, width, 2], [x, y + height - 2, width, 2], [x, y, 2, height], [x + width - 2, y, 2, height]];
    return sides.map((side) => part("ring", ...side, color));
  }

  // A corner on a picture stands out from whatever the picture shows.
  function corner(grade, x, y) {
    const inner = grade === 1 ? [] : [part("corner", x + 5, y + 5, grade === 3 ? 12 : 6, 12, BLUE)];
    return [part("corner", x, y, 22, 22, BLUE), part("corner", x + 2, y + 2, 18, 18, WHITE), ...ring(x + 4, y + 4, 14, 14, BLUE).map((side) => ({ ...side, kind: "corner" })), ...inner];
  }

  // Where the ground is not known, each part has a dark edge.
  const edged = (parts) => [...parts.map(({ kind, x, y, width, height, dash }) => part(kind, x - 1, y - 1, width + 2, height + 2, BLACK, dash)), ...parts];

  // The parts that are drawn for one link.
  function partsOf({ element, grade, known }, from) {
    if (!element.isConnected) return [];
    const shapes = shapesOf(element).map((shape) => seenPart(element, shape)).filter((shape) => shape !== null);
    if (shapes.length === 0) return [];
    const placed = shapes.map(({ left, top, width, height }) => ({ x: left - from.left, y: top - from.top, width, height }));
    const last = placed[placed.length - 1], ground = groundOf(element);
    const color = ground ? `rgb(${inkOn(ground).join(", ")})` : WHITE;
    const rings = element === reached ? placed.flatMap(({ x, y, width, height }) => ring(x - 5, y - 4, width + 10, height + 8, color)) : [];
    if (isPicture(element)) {
      const largest = placed.reduce((a, b) => (b.width * b.height > a.width * a.height ? b : a));
      return grade === 0 ? [] : [...edged(rings), ...corner(grade, largest.x + 3, largest.y + 3)];
    }
    const ticks = known ? tick(last.x + last.width + (grade > 0 ? 6 : 1), last.y - 7, color) : [];
    const thickness = grade === 1 ? 2 : 3;
    const lines = grade > 0 ? placed.map(({ x, y, width, height }) => part("line", x, y + height + 2 - thickness, width, thickness, color, DASHES[grade])) : [];
    const dots = grade > 0 ? dot(grade, last.x + last.width - 2, last.y - 3, color) : [];
    const parts = [...rings, ...lines, ...dots, ...ticks];
    return ground ? parts : edged(parts);
  }

  // Puts what is drawn where the links are now.
  function place() {
    isPlacing = false;
    if (!layer.element()?.isConnected) return;
    if (panelOnly) return layer.show([]);
    const began = performance.now(), from = layer.origin();
    layer.show(drawn().map((one) => partsOf(one, from)));
    placed = performance.now();
    took = placed - began;
  }

  // A page that moves all the time has what is drawn follow it more seldom where that takes long.
  function placeSoon(event) {
    if (panelOnly || isPlacing || highlighted.length + ticked.length === 0) return;
    isPlacing = true;
    const rest = placed + took * (event?.type === "scroll" ? TURNS_SCROLLING : TURNS) - performance.now();
    const begin = () => requestAnimationFrame(place);
    if (rest > 0) setTimeout(begin, rest);
    else begin();
  }

  // What is said of a link: its reason, what is known of its page, and what can be done with it.
  function wordsOf({ why, grade, known }) {
    const text = known && known !== why ? `${why}\n${known}` : why;
    if (grade === 0) return { text };
    return { text, small: say("tip_actions"), spoken: `${say("promising_grade", [String(grade)])} ${text}` };
  }

  function showTip(element, found) {
    const words = found ? wordsOf(found) : { text: "" };
    tip = words.text || null;
    layer.sayBeside(element, words);
  }

  function hideTip() {
    clearTimeout(waiting);
    pointed = null;
    if (tip === null && said !== null) return;
    tip = null;
    layer.quiet();
  }

  // The person is on a link, or on none. At every link the same is done, whether there is
  // something to say or not, so the page cannot tell the ones from the others.
  function point(element, atOnce) {
    if (element === pointed) return;
    hideTip();
    pointed = element;
    if (!element || panelOnly) return;
    const show = () => showTip(element, drawn().find((one) => one.element === element));
    if (atOnce) show();
    else waiting = setTimeout(show, POINTED);
  }

  // Says something of any link.
  function tell(element, why) {
    const grade = highlighted.find((one) => one.element === element)?.grade ?? 0;
    showTip(element, { why, grade });
  }

  // Says what came of something, at the foot of the window, for a while.
  function sayAtFoot(text) {
    said = text;
    layer.open();
    layer.sayAtFoot({ text });
    clearTimeout(saying);
    saying = setTimeout(() => {
      said = null;
      if (tip === null) layer.quiet();
    }, SAID);
  }

  // For the extension's own pages.
  function shown() {
    const links = highlighted.map(({ element, grade, why, known }) => ({ href: String(element.href), text: textOf(element), grade, why, known: known ?? "" }));
    const others = ticked.map(({ element, known }) => ({ href: String(element.href), known }));
    const isShown = (text) => (text === layer.showing() ? text : null);
    return { links, ticked: others, tip: isShown(tip), said: isShown(said), reached: reached ? String(reached.href) : null, panelOnly };
  }

  function textOf(element) {
    const text = element.textContent.trim() || element.querySelector("img[alt]")?.alt || "";
    return text.replace(/\s+/g, " ").slice(0, LONGEST_TEXT);
  }

  // Scrolls by whole screens, as a person does who leafs through the page: so the page does not
  // learn which link on the screen is meant.
  function bringIntoView(element) {
    const { top, bottom } = element.getBoundingClientRect(), screen = SCREEN * innerHeight;
    if (top >= 0 && bottom <= innerHeight) return;
    const screens = top < 0 ? Math.floor(top / screen) : Math.ceil((bottom - innerHeight) / screen);
    scrollBy({ top: screens * screen, behavior: "instant" });
  }

  // Leads the person to a highlighted link, by its number. The focus stays where it is.
  function reach(number) {
    const found = highlighted[number];
    if (!found) return;
    reached = found.element;
    if (shapesOf(reached).every((shape) => seenPart(reached, shape) === null)) reached.scrollIntoView({ block: "nearest" });
    bringIntoView(reached);
    place();
    point(reached, true);
  }

  function leave() {
    reached = null;
    hideTip();
    placeSoon();
  }

  return { element: layer.element, open: layer.open, highlighted: () => highlighted, reached: () => reached, isWhole, draw, drawing, clear, placeSoon, point, tell, say: sayAtFoot, hideTip, leave, textOf, shown, reach };
};
