import { escapeHtml } from "@laconic/core/text";

/** Drawing element, rendered as markup or as a component. */
export interface Drawing {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Drawing | string)[];
}

type Child = Drawing | string | null;

/** Flattens child lists and drops nulls. */
export function draw(
  tag: string,
  attributes: Drawing["attributes"],
  ...children: readonly (Child | readonly Child[])[]
): Drawing {
  return { tag, attributes, children: children.flat().filter((child) => child !== null) };
}

/** Escapes text and makes hidden characters visible. */
export function markupOf({ tag, attributes, children }: Drawing): string {
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`);
  const inside = children.map((child) => (typeof child === "string" ? escapeHtml(child) : markupOf(child)));
  const end = voidTags.has(tag) ? "" : `</${tag}>`;
  return `<${tag}${written.join("")}>${inside.join("")}${end}`;
}

/** HTML elements without end tag. */
const voidTags: ReadonlySet<string> = new Set(["img", "source"]);

/** Rounds a coordinate to 0.1 px. */
export function px(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Path attribute `d` of a line. Non-finite points interrupt it. */
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

/** Points between two gaps. */
export function lonePoints(points: readonly (readonly [number, number])[]): (readonly [number, number])[] {
  const isValue = (i: number): boolean => Number.isFinite(points[i]?.[1]);
  return points.filter((_, i) => isValue(i) && !isValue(i - 1) && !isValue(i + 1));
}

/** Design colour by number; 0 is grey. */
export function colour(number: number): string {
  return number === 0 ? "var(--soft)" : `var(--c${number})`;
}
