import { formatCells, formatCount, formatUsd } from "@laconic/core/text";
import { kindColumns } from "./kind-columns.ts";
import type { MethodSummary } from "./summary.ts";
import type { Table } from "./tables.ts";

/** Tokens and cost by model; null where no method has several. */
export function modelTable(summaries: readonly MethodSummary[], titleOf: (method: string) => string): Table | null {
  if (summaries.every(({ byModel }) => byModel.length < 2)) return null;
  const kinds = kindColumns(summaries.flatMap(({ byModel }) => byModel));
  return {
    title: "Tokens and cost by model",
    columns: ["benchmark", "method", "model", "calls / question", "prompt", "completion", ...kinds.titles, "cost"],
    rows: formatCells(
      summaries.flatMap(({ benchmark, method, setting, byModel, scored }) =>
        byModel.map(({ model, calls, promptTokens, completionTokens, usd, ...rest }) => [
          benchmark,
          `${titleOf(method)}${setting === "dealt" ? ", dealt" : ""}`,
          model,
          calls / scored,
          formatCount(promptTokens),
          formatCount(completionTokens),
          ...kinds.counts(rest).map((count) => formatCount(count)),
          usd === null ? "" : formatUsd(usd),
        ]),
      ),
    ),
  };
}
