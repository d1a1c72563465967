import type { Measured } from "@laconic/trainer";
import { formatNumber } from "../cli/format.ts";
import { printable } from "../cli/printable.ts";

/**
 * What was measured beside accuracy and tokens, a line each: what rewards and task count, and how odd each agent's words are.
 * @param states - of the team, in order: before training and after, with one before lessons where there were some
 */
export function measuredLines(...states: readonly Measured[]): string[] {
  const { measures = {}, language = {} } = states.at(-1) ?? {};
  return [
    ...Object.keys(measures).map((name) =>
      line(
        name,
        states.map((each) => each.measures?.[name]),
      ),
    ),
    ...Object.keys(language).map((agent) =>
      line(
        `perplexity of ${agent}`,
        states.map((each) => each.language?.[agent]?.perplexity),
      ),
    ),
  ];
}

/** What is counted at the end alone, as where before a side never changed, stands alone. */
function line(name: string, values: readonly (number | undefined)[]): string {
  const counted = values.flatMap((value) => (value === undefined ? [] : [formatNumber(value)]));
  return `${printable(name)}  ${counted.join(" -> ")}`;
}
