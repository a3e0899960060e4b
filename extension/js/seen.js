// What of a link a person can see, where, and on which colour it lies. Reads the page and
// changes nothing.
globalThis.linkscentSeen = () => {
  const SEEN = 4; // pixels that a link is wide and high at least
  // Ink by what it lies on: the first that stands out. Blue and sky, black and white.
  const INKS = [[11, 95, 165], [124, 196, 255], [0, 0, 0], [255, 255, 255]];
  const STANDS_OUT = 3; // contrast, as WCAG 2 counts it for what is no text

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

  return { shapesOf, seenPart, isSeen, isPicture, groundOf, inkOn };
};
