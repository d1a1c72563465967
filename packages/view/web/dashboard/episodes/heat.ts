import type { TokenDetail } from "../../../src/protocol.ts";

/** What tokens can be coloured by. */
export type HeatBy = "none" | "logProb" | "advantage" | "price";

export interface HeatScale {
  /** Value of the strongest colour. */
  readonly end: number;
  /** Whether it has two sides: below zero one colour, above the other. */
  readonly isSigned: boolean;
}

/** Which of them these tokens have, other than zeros. */
export function heatsOf(tokens: readonly TokenDetail[]): readonly HeatBy[] {
  const by: HeatBy[] = ["none"];
  if (tokens.length > 0) by.push("logProb");
  if (tokens.some(({ advantage }) => advantage !== null && advantage !== 0)) by.push("advantage");
  if (tokens.some(({ price }) => price !== 0)) by.push("price");
  return by;
}

/** One scale for all tokens that stand beside each other: colours can be compared. */
export function heatScale(tokens: readonly TokenDetail[], by: HeatBy): HeatScale {
  const sizes = tokens.map((token) => Math.abs(heatValue(token, by) ?? 0)).filter((size) => Number.isFinite(size));
  return { end: Math.max(0, ...sizes) || 1, isSigned: by === "advantage" };
}

/** Log-probs are 0 where nothing else could have been said: the less likely, the stronger. */
export function heatValue(token: TokenDetail, by: HeatBy): number | null {
  return by === "none" ? null : by === "logProb" ? token.logProb : token[by];
}

/** Class of one of five strengths, `heat0` to `heat5`, with a side where there are two. */
export function heatClass(value: number | null, { end, isSigned }: HeatScale): string {
  if (value === null || !Number.isFinite(value)) return "";
  const strength = Math.round(5 * Math.min(1, Math.abs(value) / end));
  return `heat${strength}${isSigned ? (value < 0 ? " less" : " more") : ""}`;
}
