import { type Table } from "@laconic/evaluation";
import { escapeHtml } from "@laconic/core/text";

/** Longer cells are sentences, which wrap. */
const words = 28;

/** A table under a heading of its own, which scrolls within itself. Cells are escaped. */
export function tableSection({ title, columns, rows }: Table, id: string, remark = ""): string {
  const classes = columns.map((_, i) => {
    const cells = rows.map((row) => row[i] ?? "");
    if (cells.some((text) => text.length > words)) return ` class="long"`;
    return cells.some((text) => /^[\p{L}\p{P}]*\p{L}/u.test(text)) ? ` class="words"` : "";
  });
  const cell = (tag: string, text: string, i: number): string => `<${tag}${classes[i]}>${escapeHtml(text)}</${tag}>`;
  const head = columns.map((column, i) => cell(`th`, column, i).replace("<th", `<th scope="col"`)).join("");
  const body = rows
    .map(
      (row) =>
        `<tr>${row.map((text, i) => (i === 0 ? `<th scope="row">${escapeHtml(text)}</th>` : cell("td", text, i))).join("")}</tr>`,
    )
    .join("");
  return `<section aria-labelledby="${id}"><h2 id="${id}">${escapeHtml(title)}</h2><div class="scroll" role="region" aria-labelledby="${id}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>${remark === "" ? "" : `<p class="remark">${escapeHtml(remark)}</p>`}</section>`;
}
