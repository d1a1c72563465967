import { seriesColour } from "@laconic/core/design";
import { escapeHtml, formatNumber, formatPercent } from "@laconic/core/text";
import type { MethodSummary } from "@laconic/evaluation";
import type { BenchPage } from "@laconic/evaluation/bench";
import { renderPlane } from "../charts/plane-chart.ts";
import type { PlaneChart } from "../charts/plane.ts";
import type { Plot } from "../charts/plot-library.ts";
import { htmlPage, tableSection } from "./html-page.ts";

/** A bench as a page that needs nothing else: accuracy against tokens for each benchmark, then the tables. */
export function benchPage(plot: Plot, { heading, notes, tables, summaries }: BenchPage): string {
  // What sees whole questions and what sees shares of them are not compared: a picture each.
  const pictures = [...new Set(summaries.map((each) => pictureOf(each)))].map((picture) =>
    planeOf(
      picture,
      summaries.filter((each) => pictureOf(each) === picture),
    ),
  );
  return htmlPage(
    heading,
    [
      ...pictures
        .filter(({ points }) => points.length > 0)
        .map((plane, i) => renderPlane(plot, plane, `plane-${i + 1}`)),
      ...tables.map((table, i) => tableSection(table, `table-${i + 1}`)),
      `<h2>How it was measured</h2><ul>${notes.map((note) => `<li>${escapeHtml(note)}</li>`).join("")}</ul>`,
    ].join("\n"),
  );
}

function pictureOf({ benchmark, setting }: MethodSummary): string {
  return setting === "dealt" ? `${benchmark}, dealt` : benchmark;
}

/** Tokens on a logarithmic axis, for they differ by powers of ten; the frontier is dashed. */
function planeOf(title: string, summaries: readonly MethodSummary[]): PlaneChart {
  const measured = summaries.flatMap(({ method, accuracy, promptTokens, completionTokens, scored, questions }) =>
    accuracy && scored > 0 && promptTokens + completionTokens > 0
      ? [{ method, accuracy, tokens: (promptTokens + completionTokens) / scored, questions, scored }]
      : [],
  );
  const counts = [...new Set(measured.map(({ questions }) => questions))].toSorted((a, b) => a - b);
  const asked = counts.length === 1 ? `${counts[0]} questions` : `${counts[0]} to ${counts.at(-1)} questions`;
  return {
    title,
    level: 2,
    budget: null,
    joined: "frontier",
    logarithmic: true,
    xLabel: "tokens per question",
    n: asked,
    caption: `${asked}; bars are 95 % intervals, the dashed line joins methods that no other beats in both. Tokens are prompt and completion, on a logarithmic axis.`,
    points: measured.map(({ method, accuracy, tokens }, i) => ({
      tokens,
      accuracy: accuracy.value,
      interval: [accuracy.low, accuracy.high] as const,
      color: seriesColour(i),
      label: String(i + 1),
      name: method,
    })),
    legend: measured.map(({ method, accuracy, tokens, scored }, i) => ({
      key: { color: seriesColour(i), mark: String(i + 1) },
      text: `${method}: ${formatPercent(accuracy.value)}, ${formatNumber(tokens)} tokens, n\u00a0=\u00a0${scored}`,
    })),
    remark: "Wilson's 95 % intervals of the samples with a score, by question where it is repeated.",
  };
}
