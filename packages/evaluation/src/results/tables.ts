import { formatCount, formatEstimate, formatPoints, formatShare, formatUsd } from "@laconic/core/text";
import {
  agentPoBenchmarks,
  publishedAccuracy,
  publishedAgentPo,
  publishedRows,
  publishedTokens,
} from "../published.ts";
import type { CalibrationRecord } from "../run-bench.ts";
import type { MethodSummary } from "./summary.ts";
import { kindColumns, tableOf, unlessEmpty, type Column, type Table } from "./table.ts";

type TitleOf = (method: string) => string;

const benchmarkColumn: Column<MethodSummary> = ["benchmark", ({ benchmark }) => benchmark];
const methodColumn = (titleOf: TitleOf): Column<MethodSummary> => ["method", ({ method }) => titleOf(method)];

/** Agent-GSPO's Table 1: our accuracy, and published figures of faithful methods. */
export function accuracyTable(summaries: readonly MethodSummary[], titleOf: TitleOf): Table {
  const [benchmarks, methods] = axes(summaries);
  // The papers' own rows need a method that is played as published.
  const faithful = new Set(summaries.filter(({ published }) => published !== null).map(({ benchmark }) => benchmark));
  const played = summaries.filter(({ protocol }) => protocol !== null).map(({ method }) => method);
  const ownRows = publishedRows(played).filter(({ figures }) =>
    [...faithful].some((benchmark) => figures[benchmark] !== undefined),
  );
  return {
    title: "Accuracy, %",
    columns: ["method", ...benchmarks.flatMap((benchmark) => [benchmark, `${benchmark}, published`])],
    rows: [
      ...methods.map((method) => [
        titleOf(method),
        ...benchmarks.flatMap((benchmark) => {
          const summary = find(summaries, benchmark, method);
          const row = summary?.published ?? null;
          return [oursOf(summary), publishedShare(row === null ? null : publishedAccuracy(row, benchmark))];
        }),
      ]),
      ...ownRows.map(({ title, figures }) => [
        title,
        ...benchmarks.flatMap((benchmark) => [
          "",
          publishedShare(faithful.has(benchmark) ? (figures[benchmark] ?? null) : null),
        ]),
      ]),
    ],
  };
}

/** Mean partial scores, such as word F1; null without any. */
export function scoreTable(summaries: readonly MethodSummary[], titleOf: TitleOf): Table | null {
  const partial = summaries.filter(({ meanScore }) => meanScore !== null);
  const [benchmarks, methods] = axes(partial);
  const cellOf = (benchmark: string, method: string) => {
    const score = find(partial, benchmark, method)?.meanScore ?? null;
    return score === null ? "" : formatShare(score);
  };
  return unlessEmpty(
    tableOf("F1 of words, %", methods, [
      ["method", titleOf],
      ...benchmarks.map((benchmark): Column<string> => [benchmark, (method) => cellOf(benchmark, method)]),
    ]),
  );
}

/** Table 2 of Agent-GSPO: accuracy and tokens. */
export function tokenTable(
  summaries: readonly MethodSummary[],
  titleOf: TitleOf,
  calibrations: readonly CalibrationRecord[] = [],
): Table {
  const [benchmarks, methods] = axes(summaries);
  const rows = benchmarks.flatMap((benchmark) => methods.flatMap((method) => find(summaries, benchmark, method) ?? []));
  const per = ({ scored }: MethodSummary, total: number): number | string => (scored === 0 ? "" : total / scored);
  const published = ({ benchmark, published: row }: MethodSummary) =>
    row === null ? null : publishedTokens(row, benchmark);
  const calibrationOf = ({ benchmark, method, setting }: MethodSummary): CalibrationRecord | undefined =>
    calibrations.find(
      (record) => record.benchmark === benchmark && record.method === method && record.setting === setting,
    );
  const shown = <T>(value: T | null | undefined, cell: (value: T) => number | string): number | string =>
    value ? cell(value) : "";
  const columns: Column<MethodSummary>[] = [
    benchmarkColumn,
    methodColumn(titleOf),
    ["accuracy, %", ours],
    ["n", sampleCount],
    ["calls / question", (row) => per(row, row.calls)],
    ["prompt / question", (row) => per(row, row.promptTokens)],
    ["completion / question", (row) => per(row, row.completionTokens)],
    ...kindColumns(summaries, " / question", per),
    ["total of n", (row) => formatCount(totalTokens(row))],
    ["total / question", (row) => per(row, totalTokens(row))],
    ["total / question, published", (row) => shown(published(row), ({ total, questions }) => total / questions)],
    ["n, published", (row) => shown(published(row), ({ questions }) => formatCount(questions))],
    ["calibration, apart", (row) => shown(calibrationOf(row), (record) => formatCount(totalTokens(record)))],
    ["critical path / question", (row) => per(row, row.criticalTokens)],
    ["cost with calibration", (row) => costOf(row, calibrationOf(row))],
    ["s / question", ({ meanSeconds }) => meanSeconds],
    ["critical s / question", ({ meanCriticalSeconds }) => meanCriticalSeconds ?? ""],
  ];
  return tableOf("Tokens and cost", rows, columns);
}

/**
 * AgentPO's tables; null without its benchmarks. Published averages need all five benchmarks and the paper's actor.
 * @param actorOf - answering model of a method
 */
export function agentPoTable(
  summaries: readonly MethodSummary[],
  titleOf: TitleOf,
  actorOf: (method: string) => string | null = () => null,
): Table | null {
  const benchmarks = agentPoBenchmarks.filter((name) => summaries.some(({ benchmark }) => benchmark === name));
  if (benchmarks.length === 0) return null;
  const whole = benchmarks.length === agentPoBenchmarks.length;
  const rows = axes(summaries)[1].map((method) => {
    const cells = benchmarks.map((benchmark) => find(summaries, benchmark, method));
    const scored = cells.flatMap((summary) => (summary?.accuracy ? [summary] : []));
    // Comparisons need all five benchmarks as published.
    const standings = new Set(cells.map((summary) => summary?.published ?? null));
    const [row] = standings;
    const actor = actorOf(method);
    return {
      method,
      cells,
      // Averages of different benchmarks are not comparable.
      all: scored.length === benchmarks.length ? scored : null,
      published: standings.size === 1 && row && actor !== null ? publishedAgentPo(row, actor) : null,
    };
  });
  const sum = (all: readonly MethodSummary[], of: (summary: MethodSummary) => number) =>
    all.reduce((total, summary) => total + of(summary), 0);
  const shareOf = (summary: MethodSummary | undefined) => {
    if (!summary?.accuracy) return "";
    const share = formatShare(summary.accuracy.value);
    return summary.scored === summary.samples ? share : `${share}, n ${sampleCount(summary)}`;
  };
  type Row = (typeof rows)[number];
  const columns: Column<Row>[] = [
    ["method", ({ method }) => titleOf(method)],
    ...benchmarks.map((benchmark, i): Column<Row> => [benchmark, ({ cells }) => shareOf(cells[i])]),
    [
      `average of ${benchmarks.length}`,
      ({ all }) => (all ? formatShare(sum(all, ({ accuracy }) => accuracy?.value ?? 0) / all.length) : ""),
    ],
    [
      "average, published",
      ({ published }) => (published?.average === undefined ? "" : formatShare(published.average / 100)),
    ],
    ["tokens / problem", ({ all }) => (all ? sum(all, totalTokens) / sum(all, ({ scored }) => scored) : "")],
    [
      "tokens / problem, published",
      ({ published }) => (published?.tokens === undefined ? "" : formatCount(published.tokens)),
    ],
  ];
  const shown = columns.filter(([heading]) => whole || !heading.endsWith(", published"));
  return tableOf("AgentPO's tables: Pass@1, %, and tokens per problem", rows, shown);
}

/** Differences that prevent a comparison with published figures; null without any. */
export function departureTable(summaries: readonly MethodSummary[], titleOf: TitleOf): Table | null {
  const rows = summaries.filter(({ differs }) => differs.length > 0);
  return unlessEmpty(
    tableOf("Not as published, so without a published figure", rows, [
      benchmarkColumn,
      methodColumn(titleOf),
      ["protocol", ({ protocol }) => protocol ?? ""],
      ["what differs", ({ differs }) => differs.join(" ")],
    ]),
  );
}

const few = 10;

/** Differences to the first method, paired by question. */
export function differenceTable(summaries: readonly MethodSummary[], titleOf: TitleOf): Table {
  const rows = summaries.filter(({ difference }) => difference !== null);
  return tableOf("Difference to the first method, points (paired by question, 95 %)", rows, [
    benchmarkColumn,
    methodColumn(titleOf),
    ["difference", ({ difference }) => formatPoints(difference?.value)],
    ["from", ({ difference }) => formatPoints(difference?.low)],
    ["to", ({ difference }) => formatPoints(difference?.high)],
    ["n, questions", ({ compared }) => (compared < few ? `${compared}: too few` : String(compared))],
  ]);
}

/** Tokens and cost by model; null without several. */
export function modelTable(summaries: readonly MethodSummary[], titleOf: TitleOf): Table | null {
  if (summaries.every(({ byModel }) => byModel.length < 2)) return null;
  const rows = summaries.flatMap(({ byModel, ...summary }) => byModel.map((share) => ({ ...share, summary })));
  type Row = (typeof rows)[number];
  const columns: Column<Row>[] = [
    ["benchmark", ({ summary }) => summary.benchmark],
    ["method", ({ summary }) => dealtTitle(summary, titleOf)],
    ["model", ({ model }) => model],
    ["calls / question", ({ calls, summary }) => calls / summary.scored],
    ["prompt", ({ promptTokens }) => formatCount(promptTokens)],
    ["completion", ({ completionTokens }) => formatCount(completionTokens)],
    ...kindColumns(rows, "", (_, count) => formatCount(count)),
    ["cost", ({ usd }) => (usd === null ? "" : formatUsd(usd))],
  ];
  return tableOf("Tokens and cost by model", rows, columns);
}

/** Teams with single agents of equal tokens; null without such a method. */
export function equalTokensTable(summaries: readonly MethodSummary[], titleOf: TitleOf): Table | null {
  const rows = summaries.flatMap((single) => {
    const { equalTo, benchmark } = single;
    if (equalTo === null) return [];
    const isTeam = (methodSummary: MethodSummary) =>
      methodSummary.benchmark === benchmark &&
      methodSummary.method === equalTo.method &&
      methodSummary.setting === equalTo.setting;
    return [{ single, equalTo, team: summaries.find(isTeam) }];
  });
  return unlessEmpty(
    tableOf("A single agent with the tokens of each team", rows, [
      ["benchmark", ({ single }) => single.benchmark],
      ["team", ({ equalTo }) => dealtTitle(equalTo, titleOf)],
      ["tokens / question", ({ equalTo }) => equalTo.tokens],
      ["n", ({ equalTo }) => String(equalTo.questions)],
      ["accuracy, %", ({ team }) => oursOf(team)],
      ["single agent, whole questions", ({ single }) => titleOf(single.method)],
      ["tokens / question, taken", ({ single }) => (single.scored === 0 ? "" : totalTokens(single) / single.scored)],
      ["accuracy, %", ({ single }) => oursOf(single)],
    ]),
  );
}

function dealtTitle({ method, setting }: Pick<MethodSummary, "method" | "setting">, titleOf: TitleOf): string {
  return `${titleOf(method)}${setting === "dealt" ? ", dealt" : ""}`;
}

function totalTokens(counts: { readonly promptTokens: number; readonly completionTokens: number }): number {
  return counts.promptTokens + counts.completionTokens;
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

/** Cost of samples and calibration; empty if a price is unknown. */
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
  return summaries.find((summary) => summary.benchmark === benchmark && summary.method === method);
}

function oursOf(summary: MethodSummary | undefined): string {
  const isWhole = !summary || summary.scored === summary.samples;
  return isWhole ? ours(summary) : `${ours(summary)}, n ${sampleCount(summary)}`;
}

function ours(summary: MethodSummary | undefined): string {
  return summary?.accuracy ? formatEstimate(summary.accuracy, formatShare) : "";
}

function publishedShare(percent: number | null): string {
  return percent === null ? "" : formatShare(percent / 100, 2);
}
