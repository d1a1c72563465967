import type { CostSums } from "@laconic/core/ledger";
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

/** Of names, in pixels. */
const nameSize = 15;

/** Of its size, what a bold letter takes across at most; those of East Asia, and emoji, take all of it. */
const widestBold = 0.7;
const wideLetter = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFF01-\uFF60\u{1F000}-\u{3FFFF}]/u;

/** An agent's name, cut to so many pixels. */
export function shownName(agent: string, room: number): string {
  const letters = Array.from(visibleLine(agent, maxCharacters));
  let left = room;
  const end = letters.findIndex((letter) => (left -= nameSize * (wideLetter.test(letter) ? 1 : widestBold)) < 0);
  return end === -1 ? letters.join("") : `${letters.slice(0, Math.max(1, end - 1)).join("")}…`;
}

/** An agent's name where it is read and not seen. */
export function spokenName(agent: string): string {
  return visibleLine(agent, 80);
}

export function rounded(tokens: number): string {
  return formatNumber(tokens < 9.95 ? Number(tokens.toFixed(1)) : Math.round(tokens));
}

/** As {@link rounded} writes their number. */
export function tokenWord(shown: string): "token" | "tokens" {
  return shown === "1" ? "token" : "tokens";
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
