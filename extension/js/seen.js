// What of a link a person can see, where, and on which colour it lies. Reads the page and
// changes nothing.
globalThis.linkscentSeen = () => {
  const SEEN = 4; // pixels that a link is wide and high at least
  // Ink by what it lies on: the first that stands out. Blue and sky, black and white.
  const INKS = [[11, 95, 165], [124, 196, 255], [0, 0, 0], [255, 255, 255]];
  const DEEPEST = 600; // elements that a link stands in, of which more are not looked at
  const FAINT = 0.1; // opacity below which nothing is seen
  const LONGEST_TEXT = 200; // characters of running text that a link may have
  const BLOCKS = "p, div, section, article, h1, h2, h3, h4, h5, h6, ul, ol, table, br, img, picture, svg, video, canvas";
  const MOST_SHAPES = 50; // lines of a link that are looked at
  const STANDS_OUT = 3; // contrast, as WCAG 2 counts it for what is no text

  // What an element stands in, also if that is the host of its shadow root.
  const around = (element) => element.parentElement ?? element.getRootNode().host ?? null;

  // Whether a mask shows nothing: a gradient of colours that are all transparent.
  function isClear(mask) {
    const colours = mask?.includes("gradient(") ? mask.match(/rgba?\([^)]*\)|transparent/g) ?? [] : [];
    return colours.length > 0 && colours.every((colour) => colour === "transparent" || channels(colour)[3] === 0);
  }

  // The part of a shape of a link that a person can see: what it stands in may cut it off,
  // or hide all of it.
  function seenPart(element, shape) {
    let { left, top, right, bottom } = shape, depth = 0, shines = 1;
    for (let node = element; node instanceof Element; node = around(node)) {
      depth += 1;
      if (depth > DEEPEST) return null;
      const { overflowX, overflowY, clipPath, clip, opacity, filter, maskImage } = getComputedStyle(node);
      shines *= Number(opacity);
      if (shines < FAINT || /opacity\(0(%|\)|\.0)/.test(filter) || isClear(maskImage)) return null;
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

  const shapesOf = (element) => [...element.getClientRects()].slice(0, MOST_SHAPES).filter(({ width, height }) => width >= SEEN && height >= SEEN);

  // Whether a person can see a link: it is drawn, large enough, on the page, not cut off
  // by what it stands in, and not in the colour of what lies behind it. What is only scrolled
  // away counts as seen.
  function isSeen(element) {
    const drawn = element.checkVisibility?.({ checkOpacity: true, checkVisibilityCSS: true, opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true });
    if (drawn === false) return false;
    const isThere = (shape) => {
      const part = seenPart(element, shape);
      return part === null ? isScrolledAway(element, shape) : !isCovered(element, part);
    };
    return !isStuffed(element) && shapesOf(element).some(isThere) && hasInk(element);
  }

  // Whether a link is a heap of words: text without an end that nothing divides.
  function isStuffed(element) {
    return element.textContent.trim().length > LONGEST_TEXT && element.querySelector(BLOCKS) === null;
  }

  const isOpaque = (colour) => channels(colour).length === 3 || channels(colour)[3] >= 0.9;
  const holds = (element, x, y) => [...element.getClientRects()].slice(0, MOST_SHAPES).some(({ left, top, right, bottom }) => x >= left && x <= right && y >= top && y <= bottom);

  // Whether something lies over the middle of a link and hides it. What is fixed to the window, as
  // notices are, does not count: it goes away, or the page is scrolled under it.
  function isCovered(element, { left, top, width, height }) {
    const [x, y] = [left + width / 2, top + height / 2], hit = element.getRootNode().elementFromPoint?.(x, y);
    if (!hit || element.contains(hit) || getComputedStyle(element).pointerEvents === "none") return false;
    // What the link stands in lies over it only where the link was put behind.
    if (hit.contains(element) && !isPutBehind(element, hit)) return false;
    let hides = false, depth = 0;
    for (let node = hit; node instanceof Element && depth < DEEPEST; node = around(node)) {
      depth += 1;
      const { position, backgroundColor } = getComputedStyle(node);
      if (position === "fixed" || position === "sticky") return false;
      if (node !== hit && node.contains(element)) continue;
      hides ||= (isOpaque(backgroundColor) || /^(img|video|canvas|iframe|object)$/.test(node.localName)) && holds(node, x, y);
    }
    return hides;
  }

  function isPutBehind(element, front) {
    for (let node = element; node !== null && node !== front; node = around(node)) {
      if (Number(getComputedStyle(node).zIndex) < 0) return true;
    }
    return false;
  }

  function isScrolledAway(element, shape) {
    let depth = 0;
    for (let node = around(element); node && node !== document.body && depth < DEEPEST; node = around(node)) {
      depth += 1;
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
    let depth = 0;
    for (let node = element; node instanceof Element && depth < DEEPEST; node = around(node)) {
      depth += 1;
      const { backgroundColor, backgroundImage } = getComputedStyle(node);
      if (backgroundImage !== "none") return null;
      const ground = channels(backgroundColor);
      if (ground.length === 3 || ground[3] >= 0.5) return ground;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches && /dark/.test(getComputedStyle(document.documentElement).colorScheme) ? [18, 18, 18] : [255, 255, 255];
  }

  function hasInk(element) {
    if (isPicture(element)) return true;
    const { color: own, fontSize, textIndent, webkitTextFillColor: color = own } = getComputedStyle(element);
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

  return { shapesOf, seenPart, isSeen, isPicture, groundOf, inkOn };
};
