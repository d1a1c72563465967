import type { TokenDetail } from "../../../src/protocol.ts";

export const heatNames = { none: "nothing", logProb: "log-prob", advantage: "advantage", price: "price" } as const;

export type HeatBy = keyof typeof heatNames;

export interface HeatScale {
  readonly by: HeatBy;
  readonly end: number;
  readonly isSigned: boolean;
}

export function heatsOf(tokens: readonly TokenDetail[]): readonly HeatBy[] {
  const by: HeatBy[] = ["none"];
  if (tokens.length > 0) by.push("logProb");
  if (tokens.some(({ advantage }) => advantage !== null && advantage !== 0)) by.push("advantage");
  if (tokens.some(({ price }) => price !== 0)) by.push("price");
  return by;
}

/** All tokens on the page share it, for comparable colours. */
export function heatScale(tokens: readonly TokenDetail[], by: HeatBy): HeatScale {
  const sizes = by === "none" ? [] : tokens.map((token) => Math.abs(token[by] ?? 0)).filter(Number.isFinite);
  return { by, end: Math.max(0, ...sizes) || 1, isSigned: by === "advantage" };
}

/** CSS class `heat0` to `heat5`, plus a side for signed scales. A log-prob of 0 means certainty. */
export function heatClass(value: number | null, { end, isSigned }: HeatScale): string {
  if (value === null || !Number.isFinite(value)) return "";
  const strength = Math.round(5 * Math.min(1, Math.abs(value) / end));
  return `heat${strength}${isSigned ? (value < 0 ? " less" : " more") : ""}`;
}
