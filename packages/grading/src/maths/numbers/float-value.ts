import { wordTable } from "@laconic/core";
import { Complex } from "complex.js";
import { isMixedNumber } from "./mixed-number.ts";
import { isCall, type Json } from "./json.ts";

/** Values of names. */
export interface Point {
  valueOf(name: string): Complex;
}

export const constants: Readonly<Record<string, Complex>> = wordTable({
  Pi: new Complex(Math.PI),
  ExponentialE: new Complex(Math.E),
  e: new Complex(Math.E),
  ImaginaryUnit: new Complex(0, 1),
  i: new Complex(0, 1),
  PositiveInfinity: new Complex(Number.POSITIVE_INFINITY, 0),
  NegativeInfinity: new Complex(Number.NEGATIVE_INFINITY, 0),
});

type Rule = (args: readonly Complex[]) => Complex;
const first = ([a]: readonly Complex[]): Complex => a as Complex;
const unary =
  (apply: (a: Complex) => Complex): Rule =>
  (args) =>
    apply(first(args));
const fold =
  (apply: (a: Complex, b: Complex) => Complex): Rule =>
  (args) =>
    args.reduce(apply);
const real = (apply: (a: number) => number): Rule =>
  unary((a) => (Math.abs(a.im) < 1e-9 ? new Complex(apply(a.re)) : nothing));
/** Of a large angle floating point has lost the turns. */
const angle = (apply: (a: Complex) => Complex): Rule => unary((a) => (Math.abs(a.re) < 1e6 ? apply(a) : nothing));
/** Next to a whole number floating point cannot tell on which side. */
function step(apply: (a: number) => number): (a: number) => number {
  return (a) => (Math.abs(a - Math.round(a)) < 1e-9 * Math.max(1, Math.abs(a)) ? Number.NaN : apply(a));
}
const nothing = new Complex(Number.NaN, Number.NaN);
const product = fold((a, b) => a.mul(b));

const rules = new Map<string, Rule>(
  Object.entries({
    Add: fold((a, b) => a.add(b)),
    Subtract: fold((a, b) => a.sub(b)),
    Multiply: product,
    Negate: unary((a) => a.neg()),
    Divide: fold((a, b) => a.div(b)),
    Rational: fold((a, b) => a.div(b)),
    Power: ([a, b]) => powerOf(a as Complex, b as Complex),
    Square: unary((a) => a.mul(a)),
    Root: ([a, n]) => rootOf(a as Complex, n as Complex),
    Sqrt: unary((a) => a.sqrt()),
    Exp: unary((a) => a.exp()),
    Ln: unary((a) => a.log()),
    Log: ([a, base]) => (a as Complex).log().div((base ?? new Complex(10)).log()),
    Lb: unary((a) => a.log().div(Math.LN2)),
    Lg: unary((a) => a.log().div(Math.LN10)),
    Sin: angle((a) => a.sin()),
    Cos: angle((a) => a.cos()),
    Tan: angle((a) => a.tan()),
    Cot: angle((a) => a.cot()),
    Sec: angle((a) => a.sec()),
    Csc: angle((a) => a.csc()),
    Arcsin: unary((a) => a.asin()),
    Arccos: unary((a) => a.acos()),
    Arctan: unary((a) => a.atan()),
    Arccot: unary((a) => a.acot()),
    Arcsinh: unary((a) => a.asinh()),
    Arccosh: unary((a) => a.acosh()),
    Arctanh: unary((a) => a.atanh()),
    Sinh: unary((a) => a.sinh()),
    Cosh: unary((a) => a.cosh()),
    Tanh: unary((a) => a.tanh()),
    Abs: unary((a) => new Complex(a.abs())),
    Conjugate: unary((a) => a.conjugate()),
    Floor: real(step(Math.floor)),
    Ceil: real(step(Math.ceil)),
    Factorial: real((a) => gamma(a + 1)),
    Binomial: ([n, k]) => binomial(n as Complex, k as Complex),
    Choose: ([n, k]) => binomial(n as Complex, k as Complex),
    Max: (args) => new Complex(Math.max(...args.map((each) => each.re))),
    Min: (args) => new Complex(Math.min(...args.map((each) => each.re))),
    Delimiter: first,
  } satisfies Record<string, Rule>),
);

/** Of `\sin^{-1} x` and its like. */
export const inverses: Readonly<Record<string, string>> = wordTable({ Sin: "Arcsin", Cos: "Arccos", Tan: "Arctan" });

/**
 * The value of an expression at a point. A function that is not known here gets a value that follows from its name and
 * its arguments' values, so that two expressions that use it alike agree.
 */
export function floatValue(json: Json, point: Point): Complex {
  if (typeof json === "number") return new Complex(json);
  if (typeof json === "string") return constants[json] ?? point.valueOf(json);
  if (!isCall(json)) return new Complex(Number(json.num));
  const [head, ...rest] = json;
  const [applied, argument] = rest;
  if (head === "Apply" && applied !== undefined && argument !== undefined && isCall(applied)) {
    const [, name] = applied;
    const inverse = typeof name === "string" ? inverses[name] : undefined;
    if (inverse !== undefined) return floatValue([inverse, argument], point);
  }
  const args = rest.map((each) => floatValue(each, point));
  if (head === "InvisibleOperator") return isMixedNumber(rest) ? mixed(args) : product(args);
  const rule = typeof head === "string" ? rules.get(head) : undefined;
  if (rule && args.length > 0 && (head !== "Delimiter" || args.length === 1)) return rule(args);
  const values = args.map(({ re, im }) => `${re.toPrecision(9)},${im.toPrecision(9)}`);
  return point.valueOf(`${JSON.stringify(head)}(${values.join(";")})`);
}

function mixed([whole, part]: readonly Complex[]): Complex {
  const [a, b] = [whole as Complex, part as Complex];
  return a.re < 0 ? a.sub(b) : a.add(b);
}

/** The real root where there is one: school's, not the principal one. */
function rootOf(base: Complex, index: Complex): Complex {
  if (Math.abs(base.im) < 1e-12 && base.re < 0 && index.im === 0 && Math.abs(index.re % 2) === 1)
    return new Complex(-((-base.re) ** (1 / index.re)));
  return base.pow(index.inverse());
}

function powerOf(base: Complex, exponent: Complex): Complex {
  if (base.im === 0 && exponent.im === 0 && (base.re >= 0 || Number.isInteger(exponent.re)))
    return new Complex(base.re ** exponent.re);
  return base.pow(exponent);
}

function binomial(n: Complex, k: Complex): Complex {
  if (Math.abs(n.im) + Math.abs(k.im) > 1e-9) return nothing;
  return new Complex(gamma(n.re + 1) / (gamma(k.re + 1) * gamma(n.re - k.re + 1)));
}

/** Lanczos' approximation, g = 7, nine terms (Godfrey 2001). */
const lanczos = [
  0.999_999_999_999_809_93, 676.520_368_121_885_1, -1259.139_216_722_402_8, 771.323_428_777_653_13,
  -176.615_029_162_140_59, 12.507_343_278_686_905, -0.138_571_095_265_720_12, 9.984_369_578_019_571_6e-6,
  1.505_632_735_149_311_6e-7,
] as const;

function gamma(z: number): number {
  if (Number.isInteger(z) && z <= 0) return Number.NaN;
  if (Number.isInteger(z) && z > 0 && z < 171) {
    let factorial = 1;
    for (let i = 2; i < z; i++) factorial *= i;
    return factorial;
  }
  if (z < 0.5) return Math.PI / (Math.sin(Math.PI * z) * gamma(1 - z));
  const t = z + 6.5;
  let sum: number = lanczos[0];
  for (let i = 1; i < 9; i++) sum += (lanczos[i] as number) / (z - 1 + i);
  return Math.sqrt(2 * Math.PI) * t ** (z - 0.5) * Math.exp(-t) * sum;
}
