import type { Place } from "../findings.ts";
import type { PlayedRecord } from "../folder/record.ts";
import { isObject, type Json } from "../rules/closed-set.ts";
import { applicable, meanOf, total, type Numbers } from "../rules/numbers.ts";
import { checkEpisode, checkGrade, type RecordRules } from "./episodes.ts";

export function checkEvaluation(rules: RecordRules, location: Place, { step, played }: PlayedRecord, row: Json): void {
  const { findings } = rules;
  const figures = findings.at("evaluation", location);
  figures.number("step", step, row["step"]);
  played.forEach(({ problem, episode, task }, i) => {
    const position = { ...location, episode: i, problem: problem.id };
    checkEpisode(rules, position, episode, problem);
    checkGrade(rules, position, episode, problem, { grade: task });
  });
  const names = [...new Set(played.flatMap(({ problem }) => problem.group ?? []))];
  const groups = objectOf(row, "groups");
  figures.same("groups", names.toSorted(), Object.keys(groups).toSorted());
  for (const name of [null, ...names]) {
    const own = name === null ? played : played.filter(({ problem }) => problem.group === name);
    const match = name === null ? row : objectOf(groups, name);
    for (const [key, value] of Object.entries(figuresOf(own)))
      figures.number(name === null ? key : `${name}: ${key}`, value, match[key]);
    const grades = applicable(own.map(({ task = Number.NaN }) => task));
    if (grades.every((grade) => grade >= 0 && grade <= 1))
      intervalOf(grades).forEach((end, i) =>
        figures.number(`interval.${i}`, end, (match["interval"] as unknown[])?.[i]),
      );
    else findings.leaveOut("figures of evaluations", "intervals of scores beyond 0 to 1");
  }
  const turns = played.flatMap(({ episode }) => episode.utterances);
  for (const agent of new Set([...turns.map((turn) => turn.agent), ...Object.keys(objectOf(row, "silence"))])) {
    const silence = turns.flatMap((turn) => (turn.agent === agent ? Number(turn.silent) : []));
    figures.number(`silence.${agent}`, meanOf(silence), objectOf(row, "silence")[agent]);
  }
  const { scored, ...unscored } = objectOf(row, "scoring") as Numbers;
  const count = applicable(played.map(({ task = Number.NaN }) => task)).length;
  if (scored !== undefined)
    figures.same("scores", [count, played.length - count], [scored, total(Object.values(unscored))]);
  const knownNames = ["step", "problems", "accuracy", "interval", "tokens", "groups", "silence", "scoring"];
  for (const key of Object.keys(row)) if (!knownNames.includes(key)) findings.leaveOut("figures of evaluations", key);
}

const objectOf = (row: Json, key: string): Json => (isObject(row[key]) ? row[key] : {});

function figuresOf(played: PlayedRecord["played"]): Numbers {
  const tokens = played.map(({ episode }) => total(episode.ledger.calls.map((call) => call.writtenTokens)));
  const accuracy = meanOf(applicable(played.map(({ task = Number.NaN }) => task)));
  return { problems: played.length, accuracy, tokens: meanOf(tokens) };
}

/** Wilson's 95 % interval (1927). */
function intervalOf(grades: readonly number[]): readonly [low: number, high: number] {
  const n = grades.length;
  if (n === 0) return [0, 1];
  const z2 = 1.959963984540054 ** 2;
  const p = meanOf(grades);
  const middle = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Math.sqrt(z2) / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}
