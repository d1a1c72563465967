import type { Fraction } from "fraction.js";
import { closeReals, compareExpressions, realOf, type Match, type Precision } from "./compare-expressions.ts";
import { compareColons } from "../reading/clock.ts";
import { exactValue } from "../numbers/exact-value.ts";
import { identityOf } from "../reading/normalise.ts";
import { isCall, type Expression } from "../numbers/expression.ts";
import { parseExpression } from "../reading/parse-expression.ts";
import { readScalar } from "../reading/read-scalar.ts";
import { withoutMeasure } from "../reading/units.ts";
import type { Scalar } from "../value.ts";

export function compareScalars(a: Scalar, b: Scalar, precision: Precision): Match {
  if (!precision.lenient && a.measure !== undefined && b.measure !== undefined && a.measure !== b.measure)
    return { equal: false, how: "other unit" };
  const [one, other] = [readBeside(a, b), readBeside(b, a)];
  if (one !== a || other !== b) return compareScalars(one, other, precision);
  const colons = compareColons(a.text.replaceAll(/\s/gu, ""), b.text.replaceAll(/\s/gu, ""));
  if (colons !== null) return { equal: colons, how: "same value" };
  if (identityOf(a.text) === identityOf(b.text) && a.percent === b.percent) return { equal: true, how: "same text" };
  const decimal = a.decimal || b.decimal;
  const exactPair = [exactOf(a), exactOf(b)] as const;
  if (precision.lenient && decimal) {
    const places = Math.min(...[a, b].map(decimalsOf));
    if (Number.isFinite(places)) return compareScalars(a, b, { digits: places, tolerance: 0.5001 * 10 ** -places });
  }
  if (exactPair[0] && exactPair[1]) {
    const pairs = percentReadings(exactPair[0], a, precision).flatMap((x) =>
      percentReadings(exactPair[1]!, b, precision).map((y) => [x, y] as const),
    );
    if (pairs.some(([x, y]) => x.equals(y))) return { equal: true, how: "exact number" };
    const how = precision.tolerance === null ? (decimal ? "rounded number" : "exact number") : "within tolerance";
    return { equal: pairs.some(([x, y]) => closeReals(realOf(x), realOf(y), decimal, precision)), how };
  }
  const [left, right] = [parseScalar(a), parseScalar(b)];
  if (left === null || right === null) return { equal: false, how: "malformed" };
  const match = compareExpressions(left, right, decimal, precision);
  // School uses base 10, SymPy base e.
  const natural = match.equal ? null : [withNaturalLogs(left), withNaturalLogs(right)];
  if (!natural || (natural[0] === left && natural[1] === right)) return match;
  return compareExpressions(natural[0]!, natural[1]!, decimal, precision);
}

function withNaturalLogs(json: Expression): Expression {
  if (!isCall(json)) return json;
  const [head, ...args] = json;
  const others = args.map(withNaturalLogs);
  if (head === "Log" && args.length === 1) return ["Ln", ...others];
  return others.some((other, i) => other !== args[i]) ? [head!, ...others] : json;
}

/** Reads in the other's form: "3 to 4" as ratio, `24 m^2` as area. */
function readBeside(one: Scalar, { text, measure }: Scalar): Scalar {
  const ratio = text.includes(":")
    ? one.text.replace(/^(\d+)\s*(?:\\text\s*\{\s*to\s*\}|to)\s*(\d+)$/u, "$1:$2")
    : null;
  const bare = measure !== undefined && one.exact === null ? withoutMeasure(one.text, measure) : null;
  const other = ratio === one.text ? bare : (ratio ?? bare);
  return other === null ? one : readScalar(other);
}

/** Infinity below two significant digits. */
function decimalsOf({ text }: Scalar): number {
  const [, whole = "", places = ""] = /^[-+]?(\d*)\.(\d+)$/u.exec(text) ?? [];
  return `${whole}${places}`.replace(/^0+/u, "").length >= 2 ? places.length : Number.POSITIVE_INFINITY;
}

/** Includes the percent sign; null if malformed. */
export function parseScalar(scalar: Scalar): Expression | null {
  const json = scalar.expression ?? parseExpression(scalar.text);
  return json === null || scalar.percent === "no" ? json : ["Divide", json, 100];
}

function exactOf(scalar: Scalar): Fraction | null {
  if (scalar.exact || scalar.expression !== undefined) return scalar.exact;
  if (scalar.text.length > 200 || /[a-zA-Z]{4,}/u.test(scalar.text.replaceAll(/\\[a-zA-Z]+/gu, ""))) return null;
  const json = parseExpression(scalar.text);
  const value = json === null ? null : exactValue(json);
  return value && scalar.percent === "latex" ? value.div(100) : value;
}

function percentReadings(value: Fraction, { percent }: Scalar, { lenient = false }: Precision): Fraction[] {
  if (lenient && percent === "latex") return [value, value.mul(100)];
  return percent === "plain" ? [value, value.div(100)] : [value];
}
