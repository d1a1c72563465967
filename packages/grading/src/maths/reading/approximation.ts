import { floatValue } from "../numbers/float-value.ts";
import { parseExpression } from "./parse-expression.ts";
import { samplePoint } from "../numbers/sample-point.ts";
import type { Scalar } from "../value.ts";

/** Whether a decimal is a number rounded or cut off at the decimals that it has. */
export function approximates(about: Scalar, exact: Scalar): boolean {
  if (!about.exact || about.percent !== exact.percent) return false;
  const json = parseExpression(exact.text);
  if (json === null) return false;
  const value = floatValue(json, samplePoint(1));
  const decimals = /\.(\d+)/u.exec(about.text)?.[1]?.length ?? 0;
  return Math.abs(value.im) < 1e-9 && Math.abs(value.re - about.exact.valueOf()) <= 1.01 * 10 ** -decimals;
}
