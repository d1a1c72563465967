import type { CostSums } from "@laconic/core";
import { formatNumber } from "@laconic/core/text";
import { visibleLine } from "./safe-text.ts";

export interface GraphNote {
  readonly text: string;
  readonly kind: "private" | "read" | "wrote" | "plain";
}

/** How a cost is written. */
export interface PriceWords {
  /** On a line, which has little room. */
  readonly format: (cost: number) => string;
  /** In a sentence. */
  readonly exact: (cost: number) => string;
  /** Ends "what they cost, …". */
  readonly unit: string;
}

/** Two digits that count: a table has the others. */
export const inReward: PriceWords = {
  format: (cost) => formatNumber(Number(cost.toPrecision(2))),
  exact: formatNumber,
  unit: "in reward",
};

/** Of what is shown in the picture; the transcript has the whole. */
const maxCharacters = 26;

export function clipped(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
}

/** An agent's name as a picture has room for it. */
export function shownName(agent: string): string {
  return visibleLine(agent, maxCharacters);
}

export function rounded(tokens: number): string {
  return formatNumber(tokens < 9.95 ? Number(tokens.toFixed(1)) : Math.round(tokens));
}

/** What stands under a picture: what its numbers are, and where the whole cost of an episode went, as its reward has it. */
export function costWords(costs: CostSums, { exact, unit }: PriceWords): string {
  const onLines = costs.edges.reduce((sum, { cost }) => sum + cost, 0);
  const start = `On a line: tokens that are read${onLines > 0 ? `, and what they cost, ${unit}` : ""}.`;
  if (!(costs.total > 0)) return `${start} Nothing is charged.`;
  const parts: readonly (readonly [cost: number, what: string])[] = [
    [onLines, "on lines"],
    [costs.end, "for end tokens"],
    [costs.unread, "for turns that nobody reads"],
    ...Object.entries(costs.rest).map(([name, cost]) => [cost, `for ${visibleLine(name, 40)}`] as const),
  ];
  const charged = parts.flatMap(([cost, what]) => (cost > 0 ? [`${exact(cost)} ${what}`] : []));
  return `${start} Charged${onLines > 0 ? "" : `, ${unit}`}: ${exact(costs.total)} = ${charged.join(" + ")}.`;
}
