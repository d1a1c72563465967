import { escapeHtml } from "@laconic/core/text";
import type { SvgTexts } from "./plot-library.ts";

/** Width and height of a drawing. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** How a legend shows what it names: a stroke, a numbered dot, or not at all. Colour 0 is the soft grey of reference lines. */
export interface LegendItem {
  readonly key: {
    readonly color: number;
    readonly dash?: string;
    readonly mark?: string;
    readonly hollow?: boolean;
    readonly none?: boolean;
  };
  readonly text: string;
}

/** A figure of a page, drawn for wide and for narrow windows; the page's style sheet shows one of them. */
export interface Figure {
  /** Unique on its page. */
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  /** Of its heading. */
  readonly level: 2 | 3;
  /** In place of a drawing: why there is none. */
  readonly said?: string;
  readonly legend?: readonly LegendItem[];
  /** What the drawing shows, for those who do not see it. */
  readonly description?: string;
  draw?(size: "wide" | "narrow", texts: SvgTexts): string;
  /** The values as markup, of {@link valuesTable}. */
  readonly table?: string;
  /** As wide as the page. */
  readonly whole?: boolean;
}

/** A figure as markup; all texts are escaped here. */
export function figureOf({ id, title, caption, level, said, legend, description, draw, table, whole }: Figure): string {
  const heading = `<figcaption><h${level} id="${id}">${escapeHtml(title)}</h${level}><p>${escapeHtml(caption)}</p></figcaption>`;
  const drawings = draw
    ? (["wide", "narrow"] as const)
        .map((size) => draw(size, svgTexts(`${id}-${size}`, title, description ?? caption, size)))
        .join("")
    : "";
  return [
    `<figure class="chart${whole ? " whole" : ""}" aria-labelledby="${id}">${heading}`,
    said === undefined ? "" : `<p class="said">${escapeHtml(said)}</p>`,
    legend && legend.length > 0 ? legendList(legend) : "",
    drawings,
    table === undefined ? "" : `<details><summary>Values of this chart</summary>${table}</details>`,
    "</figure>",
  ].join("");
}

/** What every drawing says of itself to a screen reader. */
export function svgTexts(id: string, title: string, description: string, className = ""): SvgTexts {
  return {
    attributes: `role="img" class="${className}" aria-labelledby="${id}-t ${id}-d"`,
    before: `<title id="${id}-t">${escapeHtml(title)}</title><desc id="${id}-d">${escapeHtml(description)}</desc>`,
  };
}

function legendList(items: readonly LegendItem[]): string {
  return `<ul class="legend${items.length > 4 && items.some(({ key }) => key.mark) ? " many" : ""}">${items.map(({ key, text }) => `<li>${keyOf(key)}<span>${escapeHtml(text)}</span></li>`).join("")}</ul>`;
}

function keyOf({ color, dash, mark, hollow, none }: LegendItem["key"]): string {
  if (none) return "";
  const hue = color === 0 ? "var(--soft)" : `var(--c${color})`;
  if (mark === undefined)
    return `<svg class="key" viewBox="0 0 26 10" aria-hidden="true"><line x1="0" x2="26" y1="5" y2="5" stroke="${hue}" stroke-width="2.5" stroke-dasharray="${dash ?? ""}"/></svg>`;
  const number = mark === "" ? "" : `<b>${escapeHtml(mark)}</b>`;
  return `<svg class="key dot" viewBox="0 0 14 14" aria-hidden="true"><circle cx="7" cy="7" r="5" stroke-width="2" stroke="${hue}" fill="${hollow ? "var(--panel)" : hue}"/></svg>${number}`;
}

/** A table that scrolls within itself, with a remark under it. */
export function valuesTable(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  remark: string,
  label = "Values",
): string {
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join("");
  const body = rows
    .map(
      ([first = "", ...rest]) =>
        `<tr><th scope="row">${escapeHtml(first)}</th>${rest.map((cell) => `<td>${escapeHtml(cell)}</td>`).join("")}</tr>`,
    )
    .join("");
  const under = remark === "" ? "" : `<p class="remark">${escapeHtml(remark)}</p>`;
  return `<div class="scroll" role="region" aria-label="${escapeHtml(label)}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>${under}`;
}
