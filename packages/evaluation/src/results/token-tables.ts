import type { TokenKinds } from "@laconic/core";
import { formatCells, formatCount, formatUsd } from "@laconic/core/text";
import type { MethodSummary } from "./summary.ts";
import { type Table, oursOf } from "./tables.ts";

const titles = { cachedTokens: "cached", cacheWriteTokens: "cache writes", reasoningTokens: "reasoning" } as const;
type Kind = keyof typeof titles;

/** Columns of a table for the token kinds that any of its rows has, beside the prompt and completion tokens that include them. */
export interface KindColumns {
  readonly titles: readonly string[];
  counts(row: TokenKinds): readonly number[];
}

/** @param unit - behind each title */
export function kindColumns(rows: readonly TokenKinds[], unit = ""): KindColumns {
  const kinds = (Object.keys(titles) as Kind[]).filter((kind) => rows.some((row) => row[kind] !== undefined));
  return {
    titles: kinds.map((kind) => `${titles[kind]}${unit}`),
    counts: (row) => kinds.map((kind) => row[kind] ?? 0),
  };
}

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
