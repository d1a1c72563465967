import type { Findings, Place } from "../findings.ts";
import type { EvaluationRecord, Played } from "../folder/record.ts";
import { isObject, type Json } from "../rules/closed-set.ts";
import { applicable, meanOf, total } from "../rules/numbers.ts";
import { checkEpisode, gradeBy, type EpisodeRules } from "./episodes.ts";

/** An episode of an evaluation with its grade; NaN without one. */
interface Graded {
  readonly episode: Played;
  readonly grade: number;
  readonly group: string | undefined;
}

/** An evaluation's row from the episodes of its record. */
export function checkEvaluation(rules: EpisodeRules, place: Place, record: EvaluationRecord, row: Json): void {
  const { findings } = rules;
  findings.number("evaluation", place, "step", record.step, row["step"]);
  findings.number("ledger", place, "log-probs without a token", 0, record.surplusLogProbs);
  const numbers = record.played.map(({ episode }) => episode);
  findings.number("evaluation", place, "different episodes", numbers.length, new Set(numbers).size);
  const graded = record.played.map(({ problem, episode: number, task }, i): Graded => {
    const episode = record.episodes[number] as Played;
    const at = { ...place, episode: i, problem: problem.id };
    checkEpisode(rules, at, episode, problem);
    const grade = gradeBy(rules, episode, problem);
    if (grade !== null) findings.number("grade", at, "grade", grade, task);
    return { episode, grade: task ?? Number.NaN, group: problem.group };
  });
  compareFigures(findings, place, "", graded, row);
  const names = [...new Set(graded.flatMap(({ group }) => group ?? []))];
  const groups = objectOf(row, "groups");
  findings.same("evaluation", place, "groups", names.toSorted(), Object.keys(groups).toSorted());
  for (const name of names) {
    const own = graded.filter(({ group }) => group === name);
    compareFigures(findings, place, `${name}: `, own, objectOf(groups, name));
  }
  const turns = graded.flatMap(({ episode }) => episode.utterances);
  const rates = new Set([...turns.map(({ agent }) => agent), ...Object.keys(objectOf(row, "silence"))]);
  for (const agent of rates) {
    const silence = turns.flatMap((turn) => (turn.agent === agent ? Number(turn.silent) : []));
    findings.number("evaluation", place, `silence.${agent}`, meanOf(silence), objectOf(row, "silence")[agent]);
  }
  const { scored, ...unscored } = objectOf(row, "scoring") as Readonly<Record<string, number>>;
  const count = applicable(graded.map(({ grade }) => grade)).length;
  if (scored !== undefined) {
    findings.number("evaluation", place, "scoring.scored", count, scored);
    findings.number("evaluation", place, "other scores", graded.length - count, total(Object.values(unscored)));
  }
  const known = ["step", "problems", "accuracy", "interval", "tokens", "groups", "silence", "scoring"];
  for (const key of Object.keys(row)) if (!known.includes(key)) findings.leaveOut("figures of evaluations", key);
}

const objectOf = (row: Json, key: string): Json => (isObject(row[key]) ? row[key] : {});

function compareFigures(findings: Findings, place: Place, prefix: string, graded: readonly Graded[], row: Json): void {
  const grades = applicable(graded.map(({ grade }) => grade));
  const tokens = graded.map(({ episode }) => total(episode.ledger.calls.map((call) => call.writtenTokens)));
  findings.number("evaluation", place, `${prefix}problems`, graded.length, row["problems"]);
  findings.number("evaluation", place, `${prefix}accuracy`, meanOf(grades), row["accuracy"]);
  findings.number("evaluation", place, `${prefix}tokens`, meanOf(tokens), row["tokens"]);
  if (grades.some((grade) => grade < 0 || grade > 1))
    return findings.leaveOut("figures of evaluations", "intervals of scores beyond 0 to 1");
  const interval = Array.isArray(row["interval"]) ? (row["interval"] as unknown[]) : [];
  wilsonInterval(grades).forEach((end, i) =>
    findings.number("evaluation", place, `${prefix}interval.${i}`, end, interval[i]),
  );
}

/** 95 % (Wilson 1927). */
function wilsonInterval(grades: readonly number[]): readonly [low: number, high: number] {
  const n = grades.length;
  if (n === 0) return [0, 1];
  const z2 = 1.959963984540054 ** 2;
  const p = meanOf(grades);
  const middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Math.sqrt(z2) / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
