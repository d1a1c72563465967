import { designStyle } from "@laconic/core/design";
import { escapeHtml } from "@laconic/core/text";
import type { Page } from "playwright-core";
import { animated, markupOf, type DrawnElement, type FilmTimes } from "./animated-svg.ts";

interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The drawings of a story at one step, where they stand in it, and what it says above them. */
export interface StoryDrawings {
  readonly words: string;
  readonly drawings: readonly {
    readonly title: string;
    readonly panel: Rectangle;
    readonly place: Rectangle;
    readonly svg: DrawnElement;
    /** Of the elements around it: rules of the style sheets name them. */
    readonly within: string;
  }[];
  /** Rules of the page that hold for the drawings. */
  readonly rules: readonly string[];
}

/** Of the page as it stands. */
export function storyDrawings(page: Page): Promise<StoryDrawings> {
  return page.evaluate<StoryDrawings>(`(${read})()`);
}

const read = `() => {
  const story = document.querySelector(".story");
  const rectangle = ({ x, y, width, height }) => ({ x, y, width, height });
  const tree = (node) => node.nodeType === 3 ? node.data : {
    name: node.nodeName,
    attributes: Object.fromEntries([...node.attributes].filter(({ name }) => !/^(?:aria-|role$|tabindex)/.test(name)).map(({ name, value }) => [name, value])),
    children: [...node.childNodes].filter((child) => (child.nodeType === 1 && child.nodeName !== "title") || (child.nodeType === 3 && child.data !== "")).map(tree),
  };
  const figures = [...story.querySelectorAll(".pictures > figure")].filter((figure) => figure.querySelector("svg"));
  const svgs = figures.map((figure) => figure.querySelector("svg"));
  const elements = svgs.flatMap((svg) => [svg, ...svg.querySelectorAll("*")]);
  const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules])
    .filter((rule) => rule.selectorText && /[.#]|svg/.test(rule.selectorText) && elements.some((element) => element.matches(rule.selectorText)))
    .map(({ cssText }) => cssText);
  return {
    words: story.querySelector(".player label span").textContent,
    drawings: figures.map((figure, i) => {
      const svg = svgs[i];
      return {
        title: figure.querySelector("figcaption").textContent,
        panel: rectangle(figure.querySelector(".panel").getBoundingClientRect()),
        place: rectangle(svg.getBoundingClientRect()),
        svg: tree(svg),
        within: svg.parentElement.className,
      };
    }),
    rules: [...new Set(rules)],
  };
}`;

const [lineHeight, titleHeight, padding] = [22, 34, 16] as const;

/**
 * A story as one SVG that plays by itself, light or dark as the system says; the last step where nothing is played.
 * @param frames - of the same page
 */
export function storySvg(frames: readonly StoryDrawings[], times: FilmTimes, width: number): string {
  const last = frames.at(-1);
  if (last === undefined) throw new Error("a story without steps");
  const words = frames.map((frame) => (width < 600 ? frame.words.split(/(?<=[:,]) /u) : [frame.words]));
  const left = Math.min(...last.drawings.map(({ panel }) => panel.x));
  let top = padding + lineHeight * Math.max(...words.map((lines) => lines.length));
  const numbered = last.drawings.map((each, i) => ({ ...each, i }));
  const drawn = [...new Set(numbered.map(({ panel }) => panel.y))].flatMap((panelTop) => {
    const row = numbered.filter(({ panel }) => panel.y === panelTop);
    const height = padding + Math.max(...row.map(({ panel, place }) => place.y - panel.y + place.height));
    const y = top + titleHeight;
    top = y + height;
    return row.map(({ title, panel, place, within, i }) => {
      const moving = animated(
        frames.map((frame) => frame.drawings[i]?.svg),
        times,
      );
      const [, , drawnWidth = place.width] = moving.attributes["viewBox"]?.split(" ").map(Number) ?? [];
      const at = `translate(${place.x.toFixed(1)} ${(y + place.y - panel.y).toFixed(1)}) scale(${(place.width / drawnWidth).toFixed(4)})`;
      return element("g", { class: within }, [
        text({ x: panel.x, y: y - 10, class: "caption" }, [title]),
        element("rect", { class: "ground", x: panel.x, y, width: panel.width, height, rx: 10 }, []),
        // Not an SVG within: its time would be its own.
        element("g", { class: moving.attributes["class"] ?? "", transform: at }, moving.children),
      ]);
    });
  });
  const said = animated(
    words.map((lines) => text({ x: left, y: padding + 8, class: "words" }, lines)),
    times,
  );
  const body = [said, ...drawn].map((each) => markupOf(each)).join("");
  const height = Math.ceil(top + padding);
  const style = `${designStyle()}${own}${last.rules.join("")}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeHtml(last.words)}"><style>${style}</style><rect width="100%" height="100%" fill="var(--paper)"/><g class="story">${body}</g></svg>\n`;
}

const own = `svg{font:var(--text) var(--sans);fill:var(--ink);font-variant-numeric:tabular-nums}.words{font-weight:600}.caption{font-weight:600}.ground{fill:var(--panel);stroke:var(--line)}`;

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: DrawnElement["children"],
): DrawnElement {
  return { name, attributes: numbers(attributes), children };
}

function text(attributes: Readonly<Record<string, string | number>>, lines: readonly string[]): DrawnElement {
  const { x = 0 } = attributes;
  return element(
    "text",
    attributes,
    lines.map((line, i) => element("tspan", { x, dy: i === 0 ? 0 : lineHeight }, [line])),
  );
}

function numbers(of: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(of).map(([name, value]) => [
      name,
      typeof value === "number" ? String(Number(value.toFixed(2))) : value,
    ]),
  );
}
