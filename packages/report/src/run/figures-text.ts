import { formatNumber } from "@laconic/core/text";
import { describeUnscored, type Evaluation, type Measured } from "@laconic/trainer";
import { printable } from "../runs/columns.ts";

/** How a count of tokens compares with another, for a reader: `4.25 times fewer`, `1.3 times as many`, `as many as before`. */
export function tokenChange(before: number, after: number, than = "before"): string {
  if (!(before > 0) || !(after > 0)) return before === after ? `as many as ${than}` : "not comparable";
  const ratio = before / after;
  if (ratio > 0.995 && ratio < 1.005) return `as many as ${than}`;
  return ratio > 1 ? `${formatNumber(ratio)} times fewer` : `${formatNumber(1 / ratio)} times as many`;
}

/**
 * What was measured beside accuracy and tokens in each state of a run, a line each: what rewards and task count, and how odd each agent's
 * words are. A state without the value shows as "-".
 */
export function measuredLines(states: readonly (Measured | undefined)[]): string[] {
  const last = states.at(-1);
  const way = (valueOf: (of: Measured) => number | undefined): string =>
    states
      .map((state) => {
        const value = state && valueOf(state);
        return value === undefined ? "-" : formatNumber(value);
      })
      .join(" -> ");
  return [
    ...Object.keys(last?.measures ?? {}).map((name) => `${printable(name)}  ${way((of) => of.measures?.[name])}`),
    ...Object.entries(last?.language ?? {}).flatMap(([agent, language]) =>
      languageFigures
        .filter(([name]) => language[name] !== undefined)
        .map(([name, words]) => `${words} of ${printable(agent)}  ${way((of) => of.language?.[agent]?.[name])}`),
    ),
  ];
}

/** What is said of an agent's language; older runs have the first alone. */
const languageFigures = [
  ["perplexity", "perplexity"],
  ["perplexityWithEnd", "perplexity with the end"],
  ["templateEntropy", "bits of templates"],
  ["commonestTemplate", "share of the commonest template"],
] as const;

/** `, 3 left out without a score (3 errors)` behind an evaluation's figures; empty where all have one. */
export function withoutScore({ scoring }: Pick<Evaluation, "scoring">): string {
  const described = scoring ? describeUnscored(scoring) : "";
  return described === "" ? "" : `; left out without a score: ${described}`;
}
