import type { MethodSummary } from "./summary.ts";
import type { Table } from "./tables.ts";
import { escapeHtml } from "./text/escape-html.ts";

/** A page that needs nothing else: tables, and accuracy against tokens for each benchmark. */
export function htmlOf(
  heading: string,
  notes: readonly string[],
  tables: readonly Table[],
  summaries: readonly MethodSummary[],
): string {
  // What sees whole questions and what sees shares of them are not compared: a picture each.
  const pictures = [...new Set(summaries.map((each) => pictureOf(each)))];
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(heading)}</title>`,
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">`,
    "<style>body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#1c2733}table{border-collapse:collapse;margin:1rem 0;display:block;overflow-x:auto}th,td{padding:.3rem .6rem;border-bottom:1px solid #dde3e9;text-align:right;white-space:nowrap}th:first-child,td:first-child{text-align:left}figure{display:inline-block;margin:1rem 1rem 0 0}li{margin:.2rem 0}</style></head><body>",
    `<h1>${escapeHtml(heading)}</h1>`,
    `<ul>${notes.map((note) => `<li>${escapeHtml(note)}</li>`).join("")}</ul>`,
    ...pictures.map((picture) =>
      scatter(
        picture,
        summaries.filter((each) => pictureOf(each) === picture),
      ),
    ),
    ...tables.map((table) => tableOf(table)),
    "</body></html>",
  ].join("\n");
}

function pictureOf({ benchmark, setting }: MethodSummary): string {
  return setting === "dealt" ? `${benchmark}, dealt` : benchmark;
}

function tableOf({ title, columns, rows }: Table): string {
  const cells = (tag: string, row: readonly string[]): string =>
    `<tr>${row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join("")}</tr>`;
  return `<h2>${escapeHtml(title)}</h2><table><thead>${cells("th", columns)}</thead><tbody>${rows.map((row) => cells("td", row)).join("")}</tbody></table>`;
}

/** The plot is 322 wide; names beside it take what they need. */
const [plotWidth, leastHeight, left, bottom, top] = [322, 320, 48, 40, 46] as const;

/** Accuracy against tokens a question, tokens on a logarithmic axis; the frontier is drawn. */
function scatter(benchmark: string, summaries: readonly MethodSummary[]): string {
  const points = summaries.flatMap(({ method, accuracy, promptTokens, completionTokens, scored }) =>
    accuracy && scored > 0 && promptTokens + completionTokens > 0
      ? [{ method, accuracy, tokens: (promptTokens + completionTokens) / scored }]
      : [],
  );
  if (points.length === 0) return "";
  // Names would lie on top of each other: numbers in the picture, names beside it.
  const names = points.map(({ method, accuracy }, i) => `${i + 1}  ${method} ${(100 * accuracy.value).toFixed(1)}`);
  const right = 40 + 6.5 * Math.max(...names.map((name) => name.length));
  const width = left + plotWidth + right;
  const height = Math.max(leastHeight, top + 15 * points.length + 10);
  const logs = points.map(({ tokens }) => Math.log10(tokens));
  const [from, to] = [Math.floor(Math.min(...logs) * 4) / 4 - 0.05, Math.ceil(Math.max(...logs) * 4) / 4 + 0.05];
  const x = (tokens: number): number => left + ((Math.log10(tokens) - from) / (to - from)) * (width - left - right);
  const y = (share: number): number => height - bottom - share * (height - bottom - top);
  const frontier = points
    .toSorted((a, b) => a.tokens - b.tokens)
    .filter((point, i, all) => all.slice(0, i).every((cheaper) => cheaper.accuracy.value < point.accuracy.value));
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      `<line x1="${left}" x2="${width - right}" y1="${y(share)}" y2="${y(share)}" stroke="#e6ebf0"/><text x="${left - 8}" y="${y(share) + 4}" text-anchor="end">${100 * share}</text>`,
  );
  const ticks = Array.from({ length: 8 }, (_, i) => [1, 2, 5].map((digit) => digit * 10 ** i))
    .flat()
    .filter((tick) => Math.log10(tick) >= from && Math.log10(tick) <= to)
    .map(
      (tick) =>
        `<text x="${x(tick)}" y="${height - bottom + 16}" text-anchor="middle">${tick.toLocaleString("en-US")}</text>`,
    );
  const marks = points.map(
    ({ accuracy, tokens }, i) =>
      `<line x1="${x(tokens)}" x2="${x(tokens)}" y1="${y(accuracy.low)}" y2="${y(accuracy.high)}" stroke="#b9c6d3"/>` +
      `<circle cx="${x(tokens)}" cy="${y(accuracy.value)}" r="7" fill="#205e9b"/>` +
      `<text x="${x(tokens)}" y="${y(accuracy.value) + 3}" text-anchor="middle" font-size="9" fill="#fff">${i + 1}</text>`,
  );
  const legend = names.map(
    (name, i) => `<text x="${width - right + 22}" y="${top + 4 + 15 * i}">${escapeHtml(name)}</text>`,
  );
  const line = frontier.map(({ tokens, accuracy }) => `${x(tokens)},${y(accuracy.value)}`).join(" ");
  return [
    `<figure><svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-size="11" font-family="system-ui, sans-serif" role="img" aria-label="${escapeHtml(benchmark)}: accuracy against tokens">`,
    `<text x="${left}" y="18" font-size="14" font-weight="600">${escapeHtml(benchmark)}</text>`,
    ...grid,
    ...ticks,
    `<polyline points="${line}" fill="none" stroke="#c2682b" stroke-dasharray="4 3"/>`,
    ...marks,
    ...legend,
    `<text x="${(left + width - right) / 2}" y="${height - 6}" text-anchor="middle">tokens a question</text><text x="${left}" y="${top - 12}">accuracy, %</text>`,
    "</svg></figure>",
  ].join("");
}
