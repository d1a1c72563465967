import type { Measured } from "@laconic/trainer";
import { formatNumber } from "@laconic/core/text";
import { printable } from "../runs/printable.ts";

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
    ...Object.keys(last?.language ?? {}).map(
      (agent) => `perplexity of ${printable(agent)}  ${way((of) => of.language?.[agent]?.perplexity)}`,
    ),
  ];
}
