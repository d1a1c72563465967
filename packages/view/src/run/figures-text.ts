import { formatNumber } from "@laconic/core/text";
import { describeUnscored, type Evaluation, type Measured } from "@laconic/trainer";
import { printable } from "../runs/columns.ts";

/** Change of a token count: `4.25 times fewer`, `1.3 times as many`, `as many as before`. */
export function tokenChange(before: number, after: number, than = "before"): string {
  if (!(before > 0) || !(after > 0)) return before === after ? `as many as ${than}` : "not comparable";
  const ratio = before / after;
  if (ratio > 0.995 && ratio < 1.005) return `as many as ${than}`;
  return ratio > 1 ? `${formatNumber(ratio)} times fewer` : `${formatNumber(1 / ratio)} times as many`;
}

type States = readonly (Measured | undefined)[];

/** One line per reward and task measure over the states; "-" for missing values. */
export function measureLines(states: States): string[] {
  const names = Object.keys(states.at(-1)?.measures ?? {});
  return names.map((name) => `${printable(name)}  ${way(states, (of) => of.measures?.[name])}`);
}

/** One line per agent: perplexity of its messages, and share of the commonest template (missing in older runs). */
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

/** Note on unscored problems for an evaluation's figures; empty if all are scored. */
export function withoutScore({ scoring }: Pick<Evaluation, "scoring">): string {
  const described = scoring ? describeUnscored(scoring) : "";
  return described === "" ? "" : `; left out without a score: ${described}`;
}
