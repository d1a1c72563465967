import type { Measured } from "@laconic/trainer";
import { formatNumber } from "../cli/format.ts";
import { printable } from "../cli/printable.ts";

/** What was measured beside accuracy and tokens before and after, a line each: what rewards and task count, and how odd each agent's words are. */
export function measuredLines(before: Measured, after: Measured): string[] {
  const { measures: first = {}, language: spoke = {} } = before;
  const { measures: last = {}, language: speaks = {} } = after;
  return [
    ...Object.entries(last).map(([name, value]) => line(name, first[name], value)),
    ...Object.entries(speaks).map(([agent, { perplexity }]) =>
      line(`perplexity of ${agent}`, spoke[agent]?.perplexity, perplexity),
    ),
  ];
}

/** What is counted at the end alone, as where before a side never changed, stands alone. */
function line(name: string, first: number | undefined, last: number): string {
  return `${printable(name)}  ${first === undefined ? "" : `${formatNumber(first)} -> `}${formatNumber(last)}`;
}
