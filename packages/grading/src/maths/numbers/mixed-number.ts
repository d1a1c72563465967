import { isCall, type Json } from "./json.ts";

/** Whether factors without a sign between them are `2\frac13`: a whole number in front of a proper fraction of whole numbers. */
export function isMixedNumber(factors: readonly Json[]): boolean {
  const [whole, part] = factors;
  if (factors.length !== 2 || whole === undefined || part === undefined || !isCall(part)) return false;
  const [head, over, under] = part;
  const negated = isCall(whole) && whole[0] === "Negate" ? whole[1] : whole;
  return (
    (head === "Divide" || head === "Rational") &&
    [negated, over, under].every((each) => Number.isInteger(each)) &&
    (over as number) > 0 &&
    (over as number) < (under as number)
  );
}
