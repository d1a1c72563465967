// Runs in a page, which gets its text alone: nothing from outside the function.
export function measurePage() {
  // Red, green, blue and opacity from 0 to 1, of `rgb(255 0 0 / 0.5)` as of `color(srgb 1 0 0 / 0.5)`.
  const partsOf = (color) => {
    const [r, g, b, opacity = 1] = color.match(/[\d.]+/gu).map(Number);
    return [...[r, g, b].map((part) => (color.startsWith("color(") ? part : part / 255)), opacity];
  };
  const luminance = (color) => {
    const [r, g, b] = color
      .slice(0, 3)
      .map((share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    if (!element) return [1, 1, 1];
    const [r, g, b, opacity] = partsOf(getComputedStyle(element).backgroundColor);
    if (opacity === 1) return [r, g, b];
    const behind = groundOf(element.parentElement);
    return [r, g, b].map((part, i) => opacity * part + (1 - opacity) * behind[i]);
  };
  const shown = (element) => element.getClientRects().length > 0;
  const nameOf = (svg) => svg.querySelector("title")?.textContent ?? "";
  const [overlapping, clipped, onCurves, sizes, contrasts, unexplained] = [[], [], new Set(), [], [], []];
  const drawings = [...document.querySelectorAll("figure > svg")].filter(shown);
  for (const svg of drawings) {
    const frame = svg.getBoundingClientRect();
    const scale = frame.width / svg.viewBox.baseVal.width;
    const texts = [...svg.querySelectorAll("text")].map((text) => ({ text, box: text.getBoundingClientRect() }));
    for (const [i, { text, box }] of texts.entries()) {
      const said = `${nameOf(svg)}: ${text.textContent}`;
      sizes.push(Number.parseFloat(getComputedStyle(text).fontSize) * scale);
      if (box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom)
        clipped.push(said);
      // A line's box is taller than its letters by about a pixel on either side.
      for (const { text: other, box: its } of texts.slice(i + 1))
        if (box.left < its.right && its.left < box.right && box.top + 1 < its.bottom && its.top + 1 < box.bottom)
          overlapping.push(`${said} / ${other.textContent}`);
    }
    const matrix = svg.getScreenCTM();
    for (const path of svg.querySelectorAll('[aria-label="line"] path, [aria-label="arrow"] path')) {
      const length = path.getTotalLength();
      for (let k = 0; k <= 200; k++) {
        const { x, y } = path.getPointAtLength((k / 200) * length).matrixTransform(matrix);
        const hit = texts.find(({ box }) => x > box.left && x < box.right && y > box.top + 2 && y < box.bottom - 2);
        if (hit) onCurves.add(`${nameOf(svg)}: ${hit.text.textContent}`);
      }
    }
    const described = svg.getAttribute("role") === "img" && nameOf(svg) && svg.querySelector("desc")?.textContent;
    if (!described || !svg.parentElement.querySelector("details table")) unexplained.push(nameOf(svg));
  }
  for (const element of [...document.querySelectorAll("body *")].filter(shown)) {
    if (["title", "desc", "style"].includes(element.localName)) continue;
    if (![...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== "")) continue;
    const style = getComputedStyle(element);
    const drawn = element.closest("svg") !== null;
    if (!drawn) sizes.push(Number.parseFloat(style.fontSize));
    const [a, b] = [luminance(partsOf(drawn ? style.fill : style.color)), luminance(groundOf(element))];
    contrasts.push((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  return {
    overlapping,
    clipped,
    onCurves: [...onCurves],
    smallestText: Math.min(...sizes),
    leastContrast: Math.min(...contrasts),
    sideways: scrollWidth - clientWidth,
    drawings: drawings.length,
    headings: [...document.querySelectorAll("h1,h2,h3,h4,h5,h6")].map(({ localName }) => Number(localName.slice(1))),
    unexplained,
  };
}
