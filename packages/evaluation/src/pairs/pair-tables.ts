import { sumKinds, type TokenCounts } from "@laconic/core/ledger";
import { grouped, meanOf, type Estimate } from "@laconic/core/numeric";
import { formatEstimate, formatNumber, formatShare } from "@laconic/core/text";
import { kindColumns, tableOf, type Column, type Table } from "../results/table.ts";
import { meanEstimate, pairedDifference } from "../results/statistics.ts";
import type { PairRecord } from "./run-pairs.ts";

/** Means over a team's scored samples. */
export interface PairSummary
  extends
    TokenCounts,
    Pick<PairRecord, "task" | "method" | "measures" | "calls" | "criticalTokens" | "criticalSeconds"> {
  readonly samples: number;
  readonly scored: number;
  /** Mean grade with its 95 % interval; null without a score. */
  readonly score: Estimate | null;
  /** Grade minus the first method's, on common problems. */
  readonly difference: Estimate | null;
}

/** Summaries in order of first occurrence. */
export function summarisePairs(records: Iterable<PairRecord>): PairSummary[] {
  const groups = grouped(records, ({ task, method }) => [task, method]);
  return groups.map((group) => summaryOf(group, groups.find(([{ task }]) => task === group[0].task) ?? group));
}

function summaryOf(
  group: readonly [PairRecord, ...PairRecord[]],
  reference: readonly [PairRecord, ...PairRecord[]],
): PairSummary {
  const [{ task, method }] = group;
  const scored = group.filter(({ status }) => status === "scored");
  const mean = (of: (record: PairRecord) => number) => meanOf(scored.map(of)) ?? 0;
  const names = new Set(scored.flatMap(({ measures }) => Object.keys(measures)));
  const [scores, other] = [scoresOf(group), scoresOf(reference)];
  const pairs = [...scores].flatMap(([problem, score]) => {
    const theirs = other.get(problem);
    return theirs === undefined ? [] : [[score, theirs] as const];
  });
  return {
    task,
    method,
    samples: group.length,
    scored: scored.length,
    score: meanEstimate([[...scores.values()]], "share"),
    difference: group === reference ? null : pairedDifference([pairs], "difference"),
    measures: Object.fromEntries(
      [...names].map((name) => [name, meanOf(scored.flatMap(({ measures }) => measures[name] ?? [])) ?? 0]),
    ),
    calls: mean(({ calls }) => calls),
    promptTokens: mean(({ promptTokens }) => promptTokens),
    completionTokens: mean(({ completionTokens }) => completionTokens),
    ...Object.fromEntries(Object.entries(sumKinds(scored)).map(([kind, sum]) => [kind, sum / scored.length])),
    criticalTokens: mean(({ criticalTokens }) => criticalTokens),
    criticalSeconds: meanOf(scored.flatMap(({ criticalSeconds }) => criticalSeconds ?? [])),
  };
}

/** Two tables of a task's teams: rewards, and costs. */
export function pairTables(summaries: readonly PairSummary[]): Table[] {
  return grouped(summaries, ({ task }) => task).flatMap((rows) => [rewardTable(rows), costTable(rows)]);
}

function rewardTable(rows: readonly [PairSummary, ...PairSummary[]]): Table {
  const estimate = (value: Estimate | null) => (value ? formatEstimate(value, formatShare) : "");
  const measures = [...new Set(rows.flatMap((row) => Object.keys(row.measures)))];
  return tableOf(`${rows[0].task}: reward, % of the best`, rows, [
    ["team", ({ method }) => method],
    ["reward, %", ({ score }) => estimate(score)],
    ["minus the first", ({ difference }) => estimate(difference)],
    ["n", ({ scored, samples }) => (scored < samples ? `${scored} of ${samples}` : String(scored))],
    ...measures.map((name): Column<PairSummary> => [name, (row) => row.measures[name] ?? ""]),
  ]);
}

/** "Times the first" compares with the first team. */
function costTable(rows: readonly [PairSummary, ...PairSummary[]]): Table {
  const [first] = rows;
  const times = (reference: number | null, value: number | null) =>
    reference && value ? `${formatNumber(reference / value)}×` : "";
  return tableOf(`${first.task}: tokens and seconds per problem`, rows, [
    ["team", ({ method }) => method],
    ["calls", ({ calls }) => calls],
    ["prompt tokens", ({ promptTokens }) => promptTokens],
    ["written tokens", ({ completionTokens }) => completionTokens],
    ...kindColumns(rows, " tokens", (_, count) => count),
    ["critical tokens", ({ criticalTokens }) => criticalTokens],
    ["speed-up, by tokens", ({ criticalTokens }) => times(first.criticalTokens, criticalTokens)],
    ["critical seconds", ({ criticalSeconds }) => criticalSeconds ?? ""],
    ["speed-up, by seconds", ({ criticalSeconds }) => times(first.criticalSeconds, criticalSeconds)],
  ]);
}

function scoresOf(records: readonly PairRecord[]): Map<string, number> {
  const scored = records.flatMap(({ problem, score }) => (score === null ? [] : [{ problem, score }]));
  return new Map(
    grouped(scored, ({ problem }) => problem).map((samples) => [
      samples[0].problem,
      meanOf(samples.map(({ score }) => score)) ?? 0,
    ]),
  );
}
