import { formatNumber } from "@laconic/core/text";

/** How a count of tokens compares with another, for a reader: `4.25 times fewer`, `1.3 times as many`, `as many as before`. */
export function tokenChange(before: number, after: number, than = "before"): string {
  if (!(before > 0) || !(after > 0)) return before === after ? `as many as ${than}` : "not comparable";
  const ratio = before / after;
  if (ratio > 0.995 && ratio < 1.005) return `as many as ${than}`;
  return ratio > 1 ? `${formatNumber(ratio)} times fewer` : `${formatNumber(1 / ratio)} times as many`;
}
