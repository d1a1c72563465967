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

type States = readonly (Measured | undefined)[];

/** What rewards and task count in each state of a run, a line each. A state without the value shows as "-". */
export function measureLines(states: States): string[] {
  const names = Object.keys(states.at(-1)?.measures ?? {});
  return names.map((name) => `${printable(name)}  ${way(states, (of) => of.measures?.[name])}`);
}

/** How odd each agent's words are in each state, and how many are one template: a line each. Older runs have the first alone. */
export function languageLines(states: States): string[] {
  return Object.entries(states.at(-1)?.language ?? {}).map(([agent, last]) => {
    const figures = languageFigures
      .filter(([name]) => last[name] !== undefined)
      .map(([name, words]) => `${words} ${way(states, (of) => of.language?.[agent]?.[name])}`);
    return `words of ${printable(agent)}  ${figures.join(", ")}`;
  });
}

const languageFigures = [
  ["perplexity", "perplexity"],
  ["perplexityWithEnd", "with the end"],
  ["commonestTemplate", "share of one template"],
] as const;

function way(states: States, valueOf: (of: Measured) => number | undefined): string {
  const shown = states.map((state) => {
    const value = state && valueOf(state);
    return value === undefined ? "-" : formatNumber(value);
  });
  return shown.join(" -> ");
}

/** `, 3 left out without a score (3 errors)` behind an evaluation's figures; empty where all have one. */
export function withoutScore({ scoring }: Pick<Evaluation, "scoring">): string {
  const described = scoring ? describeUnscored(scoring) : "";
  return described === "" ? "" : `; left out without a score: ${described}`;
}
