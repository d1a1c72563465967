import { wordTable } from "@laconic/core/checks";
import { Complex } from "complex.js";
import { operators } from "./calculus.ts";
import { applied, evaluate, type Arithmetic, type Expression, type Point, type Rules } from "./expression.ts";

const constants: Readonly<Record<string, Complex>> = wordTable({
  Pi: new Complex(Math.PI),
  e: new Complex(Math.E),
  i: new Complex(0, 1),
  PositiveInfinity: new Complex(Number.POSITIVE_INFINITY, 0),
});
const nothing = new Complex(Number.NaN, Number.NaN);

/**
 * The value of an expression at a point. A function that is not known here gets a value that follows from its name and
 * its arguments' values, so that two expressions that use it alike agree.
 */
export function floatValue(expression: Expression, point: Point): Complex {
  return evaluate(expression, arithmeticAt(point)) ?? nothing;
}

function arithmeticAt(point: Point): Arithmetic<Complex> {
  const valueOf = (name: string): Complex => new Complex(point(name) ?? Number.NaN);
  return {
    number: (text) => new Complex(Number(text)),
    name: (name) => constants[name] ?? valueOf(name),
    apply(head, values, args) {
      const [, bound] = args;
      const operator = typeof bound === "string" && isBound.test(bound) ? operators[`${head}${args.length}`] : null;
      if (operator) return new Complex(operator(args, point, (each, at) => floatValue(each, at).re));
      if (head in rules) return applied(rules, head, values);
      const shown = values.map(({ re, im }) => `${re.toPrecision(9)},${im.toPrecision(9)}`);
      return valueOf(`${head}(${shown.join(";")})`);
    },
  };
}

/** A quoted name. */
const isBound = /^'[a-zA-Z]'$/u;

type Binary = (a: Complex, b: Complex) => Complex;
const real =
  (apply: (a: number, b: number) => number): Binary =>
  (a, b) =>
    Math.abs(a.im) + Math.abs(b?.im ?? 0) < 1e-9 ? new Complex(apply(a.re, b?.re ?? 0)) : nothing;
/** Of a large angle floating point has lost the turns. */
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

/** Next to a whole number floating point cannot tell on which side. */
function floorOf(a: number): number {
  return Math.abs(a - Math.round(a)) < 1e-9 * Math.max(1, Math.abs(a)) ? Number.NaN : Math.floor(a);
}

/** The real root where there is one: school's, not the principal one. */
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

/** Of a whole number; of others nothing here needs it. */
function factorial(n: number): number {
  if (!Number.isInteger(n) || n < 0 || n > 170) return Number.NaN;
  let product = 1;
  for (let i = 2; i <= n; i++) product *= i;
  return product;
}
