import { sumKinds, type TokenCounts } from "@laconic/core/ledger";
import { meanOf, type Estimate } from "@laconic/core/numeric";
import { formatCells, formatEstimate, formatNumber, formatShare } from "@laconic/core/text";
import { meanEstimate, pairedDifference } from "../results/statistics.ts";
import { kindColumns, type Table } from "../results/tables.ts";
import type { PairRecord } from "./run-pairs.ts";

/** What a team came to on a task: means over its scored samples. */
export interface PairSummary extends TokenCounts {
  readonly task: string;
  readonly method: string;
  readonly samples: number;
  readonly scored: number;
  /** Mean grade with its 95 % interval over problems; null without a score. */
  readonly score: Estimate | null;
  /** Grade less that of the task's first method, on the problems both have; null for that one. */
  readonly difference: Estimate | null;
  readonly measures: Readonly<Record<string, number>>;
  readonly calls: number;
  readonly criticalTokens: number;
  /** Null where none were measured. */
  readonly criticalSeconds: number | null;
}

/** Summaries in the order in which tasks and methods first occur. */
export function summarisePairs(records: Iterable<PairRecord>): PairSummary[] {
  const groups = new Map<string, PairRecord[]>();
  for (const record of records) {
    const key = JSON.stringify([record.task, record.method]);
    groups.set(key, [...(groups.get(key) ?? []), record]);
  }
  const all = [...groups.values()] as [PairRecord, ...PairRecord[]][];
  return all.map((group) => {
    const reference = all.find(([{ task }]) => task === group[0].task) ?? group;
    return summaryOf(group, reference);
  });
}

function summaryOf(
  group: readonly [PairRecord, ...PairRecord[]],
  reference: readonly [PairRecord, ...PairRecord[]],
): PairSummary {
  const [{ task, method }] = group;
  const scored = group.filter(({ status }) => status === "scored");
  const mean = (of: (record: PairRecord) => number): number => meanOf(scored.map((record) => of(record))) ?? 0;
  const names = new Set(scored.flatMap(({ measures }) => Object.keys(measures)));
  const [own, other] = [scoresOf(group), scoresOf(reference)];
  return {
    task,
    method,
    samples: group.length,
    scored: scored.length,
    score: meanEstimate([[...own.values()]], "share"),
    difference:
      group === reference
        ? null
        : pairedDifference(
            [
              [...own].flatMap(([problem, score]) => {
                const theirs = other.get(problem);
                return theirs === undefined ? [] : [[score, theirs] as const];
              }),
            ],
            "difference",
          ),
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

/** A task's teams in two tables: the reward with what it is made of, and what it took. */
export function pairTables(summaries: readonly PairSummary[]): Table[] {
  const tasks = [...new Set(summaries.map(({ task }) => task))];
  return tasks.flatMap((task) => {
    const rows = summaries.filter((each) => each.task === task);
    return [rewardTable(task, rows), costTable(task, rows)];
  });
}

function rewardTable(task: string, rows: readonly PairSummary[]): Table {
  const measures = [...new Set(rows.flatMap(({ measures: own }) => Object.keys(own)))];
  return {
    title: `${task}: reward, % of the best`,
    columns: ["team", "reward, %", "less the first's", "n", ...measures],
    rows: formatCells(
      rows.map((each) => [
        each.method,
        each.score ? formatEstimate(each.score, formatShare) : "",
        each.difference ? formatEstimate(each.difference, formatShare) : "",
        each.scored < each.samples ? `${each.scored} of ${each.samples}` : String(each.scored),
        ...measures.map((name) => each.measures[name] ?? ""),
      ]),
    ),
  };
}

/** "Times the first" of critical tokens and seconds: how often as fast as the task's first team. */
function costTable(task: string, rows: readonly PairSummary[]): Table {
  const [first] = rows;
  const kinds = kindColumns(rows, " tokens");
  const times = (of: number | null | undefined, own: number | null): string =>
    of && own ? `${formatNumber(of / own)}×` : "";
  return {
    title: `${task}: tokens and seconds a problem`,
    columns: [
      "team",
      "calls",
      "prompt tokens",
      "written tokens",
      ...kinds.titles,
      "critical tokens",
      "as fast, by tokens",
      "critical seconds",
      "as fast, by seconds",
    ],
    rows: formatCells(
      rows.map((each) => [
        each.method,
        each.calls,
        each.promptTokens,
        each.completionTokens,
        ...kinds.counts(each),
        each.criticalTokens,
        times(first?.criticalTokens, each.criticalTokens),
        each.criticalSeconds ?? "",
        times(first?.criticalSeconds, each.criticalSeconds),
      ]),
    ),
  };
}

/** By problem: the mean of its repeats. */
function scoresOf(records: readonly PairRecord[]): Map<string, number> {
  const scores = new Map<string, number[]>();
  for (const { problem, score } of records)
    if (score !== null) scores.set(problem, [...(scores.get(problem) ?? []), score]);
  return new Map([...scores].map(([problem, each]) => [problem, meanOf(each) ?? 0]));
}
