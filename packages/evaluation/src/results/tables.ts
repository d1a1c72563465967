import type { TokenKinds } from "@laconic/core";
import {
  csvLine,
  formatCells,
  formatCount,
  formatEstimate,
  formatPoints,
  formatShare,
  formatUsd,
} from "@laconic/core/text";
import {
  agentPoBenchmarks,
  publishedAgentPo,
  publishedAccuracy,
  publishedRows,
  publishedTokens,
} from "../published.ts";
import type { CalibrationRecord } from "../run-bench.ts";
import type { MethodSummary } from "./summary.ts";

/** A table: a heading and rows of cells, as texts. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Agent-GSPO's Table 1: methods by benchmarks, ours with its interval, beside it the published figure where the pair is played as
 * published.
 */
export function accuracyTable(summaries: readonly MethodSummary[], titleOf: (method: string) => string): Table {
  const [benchmarks, methods] = axes(summaries);
  const rows = methods.map((method) => [
    titleOf(method),
    ...benchmarks.flatMap((benchmark) => {
      const own = find(summaries, benchmark, method);
      const row = own?.published ?? null;
      return [oursOf(own), publishedShare(row === null ? null : publishedAccuracy(row, benchmark))];
    }),
  ]);
  // The papers' own rows stand where something is played as published; a trained team of a paper's name is no run of the paper's.
  const faithful = new Set(summaries.filter((each) => each.published !== null).map(({ benchmark }) => benchmark));
  const played = summaries.filter(({ protocol }) => protocol !== null).map(({ method }) => method);
  const published = publishedRows(played)
    .filter(({ figures }) => [...faithful].some((benchmark) => figures[benchmark] !== undefined))
    .map(({ title, figures }) => [
      title,
      ...benchmarks.flatMap((benchmark) => [
        "",
        publishedShare(faithful.has(benchmark) ? (figures[benchmark] ?? null) : null),
      ]),
    ]);
  return {
    title: "Accuracy, %",
    columns: ["method", ...benchmarks.flatMap((benchmark) => [benchmark, `${benchmark}, published`])],
    rows: [...rows, ...published],
  };
}

/** How far answers are right, in the mean, where a benchmark's rule counts parts, such as HotpotQA's F1 of words; null for none. */
export function scoreTable(summaries: readonly MethodSummary[], titleOf: (method: string) => string): Table | null {
  const partial = summaries.filter(({ meanScore }) => meanScore !== null);
  if (partial.length === 0) return null;
  const [benchmarks, methods] = axes(partial);
  const rows = methods.map((method) => [
    titleOf(method),
    ...benchmarks.map((benchmark) => {
      const score = find(partial, benchmark, method)?.meanScore ?? null;
      return score === null ? "" : formatShare(score);
    }),
  ]);
  return { title: "F1 of words, %", columns: ["method", ...benchmarks], rows };
}

/** Agent-GSPO's Table 2: accuracy and tokens. */
export function tokenTable(
  summaries: readonly MethodSummary[],
  titleOf: (method: string) => string,
  calibrations: readonly CalibrationRecord[] = [],
): Table {
  const [benchmarks, methods] = axes(summaries);
  const kinds = kindColumns(summaries, " / question");
  return {
    title: "Tokens and cost",
    columns: [
      "benchmark",
      "method",
      "accuracy, %",
      "n",
      "calls / question",
      "prompt / question",
      "completion / question",
      ...kinds.titles,
      "total of n",
      "total / question",
      "total / question, published",
      "n, published",
      "calibration, apart",
      "critical path / question",
      "cost with calibration",
      "s / question",
      "critical s / question",
    ],
    rows: formatCells(
      benchmarks.flatMap((benchmark) =>
        methods.flatMap((method) => {
          const each = find(summaries, benchmark, method);
          if (!each) return [];
          const row = each.published;
          const published = row === null ? null : publishedTokens(row, benchmark);
          const calibration = calibrations.find(
            (one) => one.benchmark === benchmark && one.method === method && one.setting === each.setting,
          );
          const per = (total: number): number | string => (each.scored === 0 ? "" : total / each.scored);
          return [
            [
              benchmark,
              titleOf(method),
              ours(each),
              sampleCount(each),
              per(each.calls),
              per(each.promptTokens),
              per(each.completionTokens),
              ...kinds.counts(each).map((count) => per(count)),
              formatCount(each.promptTokens + each.completionTokens),
              per(each.promptTokens + each.completionTokens),
              published ? published.total / published.questions : "",
              published ? formatCount(published.questions) : "",
              calibration ? formatCount(calibration.promptTokens + calibration.completionTokens) : "",
              per(each.criticalTokens),
              costOf(each, calibration),
              each.meanSeconds,
              each.meanCriticalSeconds ?? "",
            ],
          ];
        }),
      ),
    ),
  };
}

/**
 * AgentPO's main and cost tables: Pass@1 by benchmark with their average, tokens per problem. Null without any of its
 * benchmarks; the averages are of those that were run, and beside the published ones only where these are all, and the actor is
 * the paper's.
 * @param actorOf - the model that answers in a method; null where it is not known
 */
export function agentPoTable(
  summaries: readonly MethodSummary[],
  titleOf: (method: string) => string,
  actorOf: (method: string) => string | null = () => null,
): Table | null {
  const benchmarks = agentPoBenchmarks.filter((name) => summaries.some(({ benchmark }) => benchmark === name));
  if (benchmarks.length === 0) return null;
  const [, methods] = axes(summaries);
  const whole = benchmarks.length === agentPoBenchmarks.length;
  const rows = methods.map((method) => {
    const own = benchmarks.map((benchmark) => find(summaries, benchmark, method));
    // An average of fewer benchmarks than the next row's would be of other questions.
    const all = own.every((each) => each?.accuracy);
    const average = own.reduce((sum, each) => sum + (each?.accuracy?.value ?? 0), 0) / benchmarks.length;
    const problems = own.reduce((sum, each) => sum + (each?.scored ?? 0), 0);
    const tokens = own.reduce((sum, each) => sum + (each ? each.promptTokens + each.completionTokens : 0), 0);
    // The published average is of all five: one that is played otherwise leaves none to compare with.
    const stands = new Set(own.map((each) => each?.published ?? null));
    const [row] = stands;
    const actor = actorOf(method);
    const published = stands.size === 1 && row && actor !== null ? publishedAgentPo(row, actor) : null;
    return [
      titleOf(method),
      ...own.map((each) => {
        if (!each?.accuracy) return "";
        const { accuracy, scored, samples } = each;
        return `${formatShare(accuracy.value)}${scored === samples ? "" : `, n ${sampleCount(each)}`}`;
      }),
      all ? formatShare(average) : "",
      ...(whole ? [published?.average === undefined ? "" : formatShare(published.average / 100)] : []),
      all ? tokens / problems : "",
      ...(whole ? [published?.tokens === undefined ? "" : formatCount(published.tokens)] : []),
    ];
  });
  const beside = (column: string): string[] => (whole ? [column] : []);
  return {
    title: "AgentPO's tables: Pass@1, %, and tokens per problem",
    columns: [
      "method",
      ...benchmarks,
      `average of ${benchmarks.length}`,
      ...beside("average, published"),
      "tokens / problem",
      ...beside("tokens / problem, published"),
    ],
    rows: formatCells(rows),
  };
}

/** What keeps methods from standing beside published figures; null where nothing does. */
export function departureTable(summaries: readonly MethodSummary[], titleOf: (method: string) => string): Table | null {
  const rows = summaries.flatMap((summary) => {
    const { differs } = summary;
    return differs.length === 0
      ? []
      : [[summary.benchmark, titleOf(summary.method), summary.protocol ?? "", differs.join(" ")]];
  });
  return rows.length === 0
    ? null
    : {
        title: "Not as published, so without a published figure",
        columns: ["benchmark", "method", "protocol", "what differs"],
        rows,
      };
}

/** Fewer questions than this show no difference. */
const few = 10;

/** Differences to the first method, paired by question, and of how many questions. */
export function differenceTable(summaries: readonly MethodSummary[], titleOf: (method: string) => string): Table {
  return {
    title: "Difference to the first method, points (paired by question, 95 %)",
    columns: ["benchmark", "method", "difference", "from", "to", "n, questions"],
    rows: summaries.flatMap(({ benchmark, method, difference, compared }) =>
      difference
        ? [
            [
              benchmark,
              titleOf(method),
              formatPoints(difference.value),
              formatPoints(difference.low),
              formatPoints(difference.high),
              // Of a handful the bootstrap knows only what they are.
              compared < few ? `${compared}: too few to tell` : String(compared),
            ],
          ]
        : [],
    ),
  };
}

/** `164`, or `160 of 164 (3 errors, 1 undecided)`. */
function sampleCount({ scored, samples, errors, undecided }: MethodSummary): string {
  if (scored === samples) return String(scored);
  const rest = [
    errors > 0 ? `${errors} ${errors === 1 ? "error" : "errors"}` : "",
    undecided > 0 ? `${undecided} undecided` : "",
  ];
  return `${scored} of ${samples} (${rest.filter((part) => part !== "").join(", ")})`;
}

/** Of samples and calibration together; empty where the price of either is not known. */
function costOf({ usd }: MethodSummary, calibration: CalibrationRecord | undefined): string {
  const learning = calibration ? calibration.usd : 0;
  return usd === null || learning === null ? "" : formatUsd(usd + learning);
}

function axes(summaries: readonly MethodSummary[]): readonly [benchmarks: string[], methods: string[]] {
  return [
    [...new Set(summaries.map(({ benchmark }) => benchmark))],
    [...new Set(summaries.map(({ method }) => method))],
  ];
}

function find(summaries: readonly MethodSummary[], benchmark: string, method: string): MethodSummary | undefined {
  return summaries.find((each) => each.benchmark === benchmark && each.method === method);
}

/** The same with the samples without a score, where there are any. */
export function oursOf(summary: MethodSummary | undefined): string {
  const isWhole = !summary || summary.scored === summary.samples;
  return isWhole ? ours(summary) : `${ours(summary)}, n ${sampleCount(summary)}`;
}

function ours(summary: MethodSummary | undefined): string {
  if (!summary?.accuracy) return "";
  return formatEstimate(summary.accuracy, formatShare);
}

/** A figure of a paper, in per cent with as many decimals as papers print. */
function publishedShare(percent: number | null): string {
  return percent === null ? "" : formatShare(percent / 100, 2);
}

/** A table as Markdown under a heading of the second level. */
export function markdownOf({ title, columns, rows }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [`## ${title}`, "", line(columns), line(columns.map(() => "---")), ...rows.map((row) => line(row))].join("\n");
}

/** A table as CSV. */
export function csvOf({ columns, rows }: Table): string {
  return [columns, ...rows].map((row) => csvLine(row)).join("\n");
}

/** A table as a LaTeX `tabular` with booktabs rules; its title is a comment. */
export function latexOf({ title, columns, rows }: Table): string {
  const cell = (text: string): string => text.replaceAll("\\", "\\textbackslash ").replaceAll(/[&%$#_{}]/gu, "\\$&");
  const line = (row: readonly string[]): string => `${row.map((each) => cell(each)).join(" & ")} \\\\`;
  return [
    `% ${title.replaceAll("\n", " ")}`,
    `\\begin{tabular}{l${"r".repeat(columns.length - 1)}}`,
    "\\toprule",
    line(columns),
    "\\midrule",
    ...rows.map((row) => line(row)),
    "\\bottomrule",
    "\\end{tabular}",
  ].join("\n");
}

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
