import type { Utterance } from "@laconic/core";
import type { StoredEpisode } from "@laconic/core/run-folder";
import { known, meanOf, total } from "./rules/numbers.ts";
import { checkEpisode } from "./check-episodes.ts";
import type { Findings, Place } from "./findings.ts";
import type { AuditedEvaluation } from "./folder/record.ts";
import type { SecondGrade } from "./second-grades.ts";

type Json = Readonly<Record<string, unknown>>;
type Played = { readonly episode: StoredEpisode<Utterance>; readonly task: number; readonly group: string | undefined };

/** A row of `evaluations.jsonl` from the episodes behind it. */
export function auditEvaluation(
  findings: Findings,
  evaluation: AuditedEvaluation,
  row: Json | undefined,
  grade: SecondGrade | null,
): void {
  const place: Place = { step: evaluation.step };
  const played = evaluation.played.map(({ problem, episode: number, task }, i): Played => {
    const episode = evaluation.episodes[number] as StoredEpisode<Utterance>;
    const at = { ...place, episode: i, problem: problem.id };
    checkEpisode(findings, at, episode, problem);
    if (grade && task !== null) findings.number("grade", at, "task", grade(episode, problem), task);
    return { episode, task: task ?? Number.NaN, group: problem.group };
  });
  compare(findings, place, "", played, row ?? {});
  const groups = [...new Set(played.flatMap(({ group }) => group ?? []))];
  for (const group of groups) {
    const found = ((row?.["groups"] ?? {}) as Readonly<Record<string, Json>>)[group];
    compare(
      findings,
      place,
      `groups.${group}.`,
      played.filter((each) => each.group === group),
      found ?? {},
    );
  }
  const audited = ["step", "problems", "accuracy", "interval", "tokens", "groups", "silence", "scoring"];
  for (const key of Object.keys(row ?? {}))
    if (!audited.includes(key)) findings.leaveOut(`evaluation's ${key}`, "this audit has no second rule for it");
  const turns = played.flatMap(({ episode }) => episode.utterances);
  for (const agent of new Set(turns.map((turn) => turn.agent))) {
    const own = turns.filter((turn) => turn.agent === agent);
    const found = ((row?.["silence"] ?? {}) as Json)[agent];
    findings.number(
      "evaluation",
      place,
      `silence.${agent}`,
      own.filter(({ silent }) => silent).length / own.length,
      found,
    );
  }
}

function compare(findings: Findings, place: Place, prefix: string, played: readonly Played[], row: Json): void {
  const tasks = known(played.map(({ task }) => task));
  const tokens = played.map(({ episode }) => total(episode.ledger.calls.map((call) => call.writtenTokens)));
  const [low, high] = intervalOf(tasks);
  const [foundLow, foundHigh] = (row["interval"] ?? []) as readonly unknown[];
  findings.number("evaluation", place, `${prefix}problems`, played.length, row["problems"]);
  findings.number("evaluation", place, `${prefix}accuracy`, meanOf(tasks), row["accuracy"]);
  findings.number("evaluation", place, `${prefix}tokens`, meanOf(tokens), row["tokens"]);
  findings.number("evaluation", place, `${prefix}interval.0`, low, foundLow);
  findings.number("evaluation", place, `${prefix}interval.1`, high, foundHigh);
}

/** 95 %: Wilson (1927) for grades from 0 to 1, Student's t for scores beyond; NaN where those are equal. */
function intervalOf(tasks: readonly number[]): readonly [number, number] {
  const n = tasks.length;
  if (n === 0) return [0, 1];
  const p = meanOf(tasks);
  if (tasks.some((task) => task < 0 || task > 1)) {
    const variance = total(tasks.map((task) => (task - p) ** 2)) / (n - 1);
    const isEqual = Math.max(...tasks) - Math.min(...tasks) <= 1e-12 * Math.abs(p);
    const half = isEqual ? Number.NaN : studentEnd(n - 1) * Math.sqrt(variance / n);
    return [p - half, p + half];
  }
  const z2 = 1.959963984540054 ** 2;
  const middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Math.sqrt(z2) / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** Student's t within which 95 % lie, by the series for whole degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4). */
function studentEnd(freedom: number): number {
  const within = (t: number): number => {
    const angle = Math.atan(t / Math.sqrt(freedom));
    const isOdd = freedom % 2 === 1;
    let [term, sum] = isOdd ? [Math.cos(angle), 0] : [1, 0];
    for (let k = isOdd ? 1 : 0; k < freedom - 1; k += 2) {
      sum += term;
      term *= (Math.cos(angle) ** 2 * (k + 1)) / (k + 2);
    }
    return isOdd ? (2 / Math.PI) * (angle + Math.sin(angle) * sum) : Math.sin(angle) * sum;
  };
  let [low, high] = [0, 100];
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (within(middle) < 0.95) low = middle;
    else high = middle;
  }
  return low;
}
