import { wordTable } from "@laconic/core/checks";
import { Complex } from "complex.js";
import { Decimal } from "decimal.js";
import { applied, evaluate, isCall, partsOf, substituted } from "./expression.ts";
import type { Expression, Point, Rules } from "./expression.ts";
import { realValue } from "./real-value.ts";

const constants: Readonly<Record<string, Complex>> = wordTable({
  Pi: new Complex(Math.PI),
  e: new Complex(Math.E),
  i: new Complex(0, 1),
  PositiveInfinity: new Complex(Number.POSITIVE_INFINITY, 0),
});
const nothing = new Complex(Number.NaN, Number.NaN);

/** Value at a point; unknown functions hash their name and arguments. */
export function floatValue(expression: Expression, point: Point): Complex {
  const valueOf = (name: string): Complex => new Complex(point(name) ?? Number.NaN);
  const value = evaluate<Complex>(expression, {
    number: (text) => new Complex(Number(text)),
    name: (name) => constants[name] ?? valueOf(name),
    apply(head, values, args) {
      const [, bound] = args;
      const operator = typeof bound === "string" && isBound.test(bound) ? operators[`${head}${args.length}`] : null;
      if (operator) return new Complex(operator(args, point, (item, at) => floatValue(item, at).re));
      if (head in rules) return applied(rules, head, values);
      const shown = values.map(({ re, im }) => `${re.toPrecision(9)},${im.toPrecision(9)}`);
      return valueOf(`${head}(${shown.join(";")})`);
    },
  });
  return value ?? nothing;
}

const isBound = /^'[a-zA-Z]'$/u;

type Binary = (a: Complex, b: Complex) => Complex;
const real =
  (apply: (a: number, b: number) => number): Binary =>
  (a, b) =>
    Math.abs(a.im) + Math.abs(b?.im ?? 0) < 1e-9 ? new Complex(apply(a.re, b?.re ?? 0)) : nothing;
const angle =
  (apply: (a: Complex) => Complex): Binary =>
  (a) =>
    Math.abs(a.re) < 1e6 ? apply(a) : nothing;

const rules: Rules<Complex> = wordTable<Binary>({
  Add: (a, b) => a.add(b),
  Multiply: (a, b) => a.mul(b),
  Negate: (a) => a.neg(),
  Divide: (a, b) => a.div(b),
  Power: powerOf,
  Root: rootOf,
  Ln: (a) => a.log(),
  Log: (a, base) => a.log().div((base ?? new Complex(10)).log()),
  Sin: angle((a) => a.sin()),
  Cos: angle((a) => a.cos()),
  Tan: angle((a) => a.tan()),
  Arcsin: (a) => a.asin(),
  Arccos: (a) => a.acos(),
  Arctan: (a) => a.atan(),
  Arcsinh: (a) => a.asinh(),
  Arccosh: (a) => a.acosh(),
  Arctanh: (a) => a.atanh(),
  Sinh: (a) => a.sinh(),
  Cosh: (a) => a.cosh(),
  Tanh: (a) => a.tanh(),
  Abs: (a) => new Complex(a.abs()),
  Conjugate: (a) => a.conjugate(),
  Floor: real(floorOf),
  Factorial: real(factorial),
  Binomial: real((n, k) => factorial(n) / (factorial(k) * factorial(n - k))),
  Max: real(Math.max),
  Min: real(Math.min),
});

/** NaN near an integer, because of rounding. */
function floorOf(a: number): number {
  return Math.abs(a - Math.round(a)) < 1e-9 * Math.max(1, Math.abs(a)) ? Number.NaN : Math.floor(a);
}

/** Real root, not the principal one. */
function rootOf(base: Complex, index: Complex): Complex {
  if (index.re === 2 && index.im === 0) return base.sqrt();
  if (Math.abs(base.im) < 1e-12 && base.re < 0 && index.im === 0 && Math.abs(index.re % 2) === 1)
    return new Complex(-((-base.re) ** (1 / index.re)));
  return base.pow(index.inverse());
}

function powerOf(base: Complex, exponent: Complex): Complex {
  if (base.im === 0 && exponent.im === 0 && (base.re >= 0 || Number.isInteger(exponent.re)))
    return new Complex(base.re ** exponent.re);
  return base.pow(exponent);
}

function factorial(n: number): number {
  if (!Number.isInteger(n) || n < 0 || n > 170) return Number.NaN;
  let product = 1;
  for (let i = 2; i <= n; i++) product *= i;
  return product;
}

type Operator = (
  args: readonly Expression[],
  point: Point,
  valueOf: (each: Expression, point: Point) => number,
) => number;

const nearby = new Decimal("1e-25");
/** Difference near a limit. */
const closest = new Decimal("1e-15");

/** NaN if unknown. */
const operators: Readonly<Record<string, Operator>> = { Integrate4: integral, Limit3: limit, D2: derivative };

/** Sixty digits; null if one is unknown. */
function valuesAt(
  [body, quoted]: readonly Expression[],
  places: readonly Expression[],
  point: Point,
): Decimal[] | null {
  const name = (quoted as string).slice(1, -1);
  const values = places.map((expression) => realValue(substituted(body!, name, expression), point)?.value ?? null);
  return values.every((value) => value !== null) ? values : null;
}

function shift(expression: Expression, distance: Decimal): Expression {
  return ["Add", expression, { num: distance.toFixed() }];
}

function derivative(args: readonly Expression[], point: Point): number {
  const name = (args[1] as string).slice(1, -1);
  const places = [nearby, nearby.neg()].map((distance) => shift(name, distance));
  const [above, below] = valuesAt(args, places, point) ?? [];
  return above && below ? above.sub(below).div(nearby.mul(2)).toNumber() : Number.NaN;
}

/** Equal at two distances on both sides. */
function limit(args: readonly Expression[], point: Point): number {
  const expression = args[2]!;
  const isInfinite = JSON.stringify(expression).includes("Infinity");
  const far = new Decimal(1).div(nearby).mul(JSON.stringify(expression).includes("Negate") ? -1 : 1);
  const places = [1, 3, ...(isInfinite ? [] : [-1, -3])].map((times) =>
    isInfinite ? { num: far.mul(times).toFixed() } : shift(expression, nearby.mul(times)),
  );
  const [first, ...others] = valuesAt(args, places, point) ?? [];
  const isSame =
    first &&
    others.every((other) =>
      other
        .sub(first)
        .abs()
        .lessThan(closest.mul(first.abs().add(1))),
    );
  return first && isSame ? first.toNumber() : Number.NaN;
}

/** Halvings of an integral's step. */
const halvings = 9;

/** Romberg's method; NaN if the last estimates differ. */
function integral(args: readonly Expression[], point: Point, valueOf: Parameters<Operator>[2]): number {
  const [body, quoted, ...bounds] = args as [Expression, string, ...Expression[]];
  if (partsOf(body).some((part) => isCall(part) && part[0] === "Integrate")) return Number.NaN;
  const [low, high] = bounds.map((bound) => valueOf(bound, point)) as [number, number];
  const valueAt = (index: number): number =>
    valueOf(body, (name) => (name === quoted.slice(1, -1) ? index : point(name)));
  let before = [((high - low) / 2) * (valueAt(low) + valueAt(high))];
  for (let halving = 1; halving <= halvings && Number.isFinite(before[0]); halving++) {
    const count = 2 ** (halving - 1);
    const step = (high - low) / (2 * count);
    const places = Array.from({ length: count }, (_, i) => low + (2 * i + 1) * step);
    const row = [before[0]! / 2 + step * places.reduce((sum, index) => sum + valueAt(index), 0)];
    for (const [i, estimate] of before.entries()) row.push(row[i]! + (row[i]! - estimate) / (4 ** (i + 1) - 1));
    const [last, other] = [row.at(-1)!, before.at(-1)!];
    if (halving > 4 && Math.abs(last - other) <= 1e-13 * Math.max(1, Math.abs(last))) return last;
    before = row;
  }
  return Number.NaN;
}
