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

interface HeatLook {
  readonly class: string;
  readonly style: Readonly<Record<string, string>>;
}

/** @param strength - 0 to 5 */
export function heatLook(strength: number, isMore: boolean): HeatLook {
  return { class: isMore ? "heat more" : "heat", style: { "--strength": `${9 * strength}%` } };
}

/** A log-prob of 0 means certainty. */
export function heatOf(value: number | null, { end, isSigned }: HeatScale): Partial<HeatLook> {
  if (value === null || !Number.isFinite(value)) return {};
  return heatLook(Math.round(5 * Math.min(1, Math.abs(value) / end)), isSigned && value >= 0);
}
