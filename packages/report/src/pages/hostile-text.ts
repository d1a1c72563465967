import { escapeHtml } from "@laconic/core/text";

/** Characters that a page shows at once, and those it shows on demand. */
const [shown, kept] = [800, 20_000] as const;

/** What a model or a configuration wrote, as text and nothing else: escaped, and cut where it is long, with a way to see more. */
export function longText(text: string): string {
  if (text.length <= shown) return `<span class="text">${escapeHtml(text)}</span>`;
  const rest = text.slice(shown, kept);
  const left = text.length - shown - rest.length;
  const more = left > 0 ? ` … and ${left.toLocaleString("en-US")} characters that only the run's files hold` : "";
  return `<span class="text">${escapeHtml(text.slice(0, shown))}…</span><details><summary>${rest.length.toLocaleString("en-US")} more characters</summary><span class="text">${escapeHtml(rest)}</span>${more}</details>`;
}
