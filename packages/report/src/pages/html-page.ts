import { escapeHtml } from "@laconic/core/text";
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
