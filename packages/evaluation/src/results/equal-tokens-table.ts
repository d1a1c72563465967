import { formatCells } from "@laconic/core/text";
import type { MethodSummary } from "./summary.ts";
import { oursOf, type Table } from "./tables.ts";

/**
 * Each team beside a single agent that may take the tokens that the team took, with what both came to. Null where no method of equal tokens
 * was run. A single agent sees whole questions, also beside a team that sees shares.
 */
export function equalTokensTable(
  summaries: readonly MethodSummary[],
  titleOf: (method: string) => string,
): Table | null {
  const rows = summaries.flatMap((single) => {
    const { equalTo, benchmark } = single;
    if (equalTo === null) return [];
    const team = summaries.find(
      (each) => each.benchmark === benchmark && each.method === equalTo.method && each.setting === equalTo.setting,
    );
    const used = single.scored === 0 ? "" : (single.promptTokens + single.completionTokens) / single.scored;
    return [
      [
        benchmark,
        `${titleOf(equalTo.method)}${equalTo.setting === "dealt" ? ", dealt" : ""}`,
        equalTo.tokens,
        String(equalTo.questions),
        oursOf(team),
        titleOf(single.method),
        used,
        oursOf(single),
      ],
    ];
  });
  return rows.length === 0
    ? null
    : {
        title: "A single agent with the tokens of each team",
        columns: [
          "benchmark",
          "team",
          "tokens / question",
          "n",
          "accuracy, %",
          "single agent, whole questions",
          "tokens / question, taken",
          "accuracy, %",
        ],
        rows: formatCells(rows),
      };
}
