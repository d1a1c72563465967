import { escapeHtml, formatCount } from "@laconic/core/text";
import type { Table } from "@laconic/evaluation";
import { theme } from "./theme.ts";

/**
 * A page that needs nothing else: no script, no font, no request, and a policy that allows none.
 * @param title - escaped here; heading of the page, and its window's
 * @param body - markup
 */
export function htmlPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)} · Laconic</title><style>${theme}</style></head><body><main>
<h1>${escapeHtml(title)}</h1>
${body}
</main></body></html>
`;
}

/** Figures of a page that a reader should see first, as a list of terms and values. */
export function tiles(values: readonly (readonly [value: string, label: string])[]): string {
  if (values.length === 0) return "";
  const each = values.map(
    ([value, label]) => `<div class="tile"><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<dl class="tiles">${each.join("")}</dl>`;
}

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

/** Characters that a page shows at once, and those it shows on demand. */
const [shown, kept] = [800, 20_000] as const;

/** What a model or a configuration wrote, as text and nothing else: escaped, and cut where it is long, with a way to see more. */
export function longText(text: string): string {
  if (text.length <= shown) return `<span class="text">${escapeHtml(text)}</span>`;
  const rest = text.slice(shown, kept);
  const left = text.length - shown - rest.length;
  const more = left > 0 ? ` … and ${formatCount(left)} characters that only the run's files hold` : "";
  return `<span class="text">${escapeHtml(text.slice(0, shown))}…</span><details><summary>${formatCount(rest.length)} more characters</summary><span class="text">${escapeHtml(rest)}</span>${more}</details>`;
}
