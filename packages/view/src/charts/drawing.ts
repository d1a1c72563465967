import { escapeHtml } from "@laconic/core/text";

/** An element of a drawing as plain data: markup in a file, a component on a page. */
export interface Drawing {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Drawing | string)[];
}

type Child = Drawing | string | null;

/** An element with its attributes and children. Lists are flattened, and null children are left out. */
export function draw(
  tag: string,
  attributes: Drawing["attributes"],
  ...children: readonly (Child | readonly Child[])[]
): Drawing {
  return { tag, attributes, children: children.flat().filter((child) => child !== null) };
}

/** A drawing as markup. All text is escaped, and hidden characters are made visible. */
export function markupOf({ tag, attributes, children }: Drawing): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`);
  const inside = children.map((child) => (typeof child === "string" ? escapeHtml(child) : markupOf(child)));
  const end = voidTags.has(tag) ? "" : `</${tag}>`;
  return `<${tag}${written.join("")}>${inside.join("")}${end}`;
}

/** HTML elements without an end tag. */
const voidTags: ReadonlySet<string> = new Set(["img", "source"]);

/** A coordinate to a tenth of a pixel. */
export function px(value: number): number {
  return Math.round(value * 10) / 10;
}

/** A line through points, as the attribute `d` of a path. A point without a finite position interrupts it. */
export function linePath(points: readonly (readonly [x: number, y: number])[]): string {
  let isDrawing = false;
  return points
    .map(([x, y]) => {
      const wasDrawing = isDrawing;
      isDrawing = Number.isFinite(y);
      return isDrawing ? `${wasDrawing ? "L" : "M"}${px(x)} ${px(y)}` : "";
    })
    .join("");
}

/** Points between two gaps, to which no line leads. */
export function lonePoints(points: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const isValue = (i: number): boolean => Number.isFinite(points[i]?.[1]);
  return points.filter((_, i) => isValue(i) && !isValue(i - 1) && !isValue(i + 1));
}

/** A colour of the design by its number; 0 is the grey of reference lines. */
export function colour(number: number): string {
  return number === 0 ? "var(--soft)" : `var(--c${number})`;
}
