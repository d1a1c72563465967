import { formatNumber } from "./format.ts";
import { visibleLine } from "./safe-text.ts";

/** What goes from one agent to another: tokens a mean per episode, and what they cost. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly tokens: number;
  readonly price: number;
}

export interface GraphNote {
  readonly text: string;
  readonly kind: "private" | "heard" | "said" | "plain";
}

/** How a price is written. */
export interface PriceWords {
  readonly format: (price: number) => string;
  /** Ends "what they cost, …". */
  readonly unit: string;
}

/** Two digits that count: a table has the others. */
export const inReward: PriceWords = {
  format: (price) => formatNumber(Number(price.toPrecision(2))),
  unit: "in reward",
};

/** Of what is shown in the picture; the transcript has the whole. */
const mostCharacters = 26;

export function clipped(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters - 1)}…` : text;
}

/** An agent's name as a picture has room for it. */
export function shownName(agent: string): string {
  return visibleLine(agent, mostCharacters);
}

export function rounded(tokens: number): string {
  return tokens.toFixed(tokens < 9.95 ? 1 : 0);
}
