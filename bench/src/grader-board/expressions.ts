import { reduced } from "./numbers.ts";
import type { Draw, Template } from "./row.ts";

const squarefree = [2, 3, 5, 6, 7, 10, 11, 13, 14, 15] as const;
const names = ["x", "y", "t", "n", "a"] as const;

/** `+ 3x`, `- x`: a term behind others. */
export function term(coefficient: number, name: string): string {
  const size = Math.abs(coefficient);
  return `${coefficient < 0 ? "-" : "+"} ${size === 1 && name !== "" ? "" : size}${name}`;
}

function first(coefficient: number, name: string): string {
  return `${coefficient === -1 ? "-" : coefficient === 1 ? "" : coefficient}${name}`;
}

export const nonzero = (draw: Draw, most: number, ...except: readonly number[]): number =>
  draw.other(-most, most, 0, ...except);

/** Roots, powers, polynomials and functions. */
export const expressions: readonly Template[] = [
  {
    kind: "maths",
    rule: "same-expression",
    tag: "surd",
    make(draw) {
      const [k, m] = [draw.whole(2, 12), draw.pick(squarefree)];
      const s = `${k}*sqrt(${m})`;
      return {
        gold: `${k}\\sqrt{${m}}`,
        sympy: s,
        right: [
          [`\\sqrt{${k * k * m}}`, `sqrt(${k * k * m})`],
          [`\\sqrt{${m}} \\cdot ${k}`, s],
          [`\\frac{${k * m}}{\\sqrt{${m}}}`, `${k * m}/sqrt(${m})`],
          [m < 10 ? `${k}\\sqrt ${m}` : `${k} \\sqrt{ ${m} }`, s],
          [`${k} \\cdot ${m}^{1/2}`, s],
          [`${k}\\sqrt{${m}} \\approx ${(k * Math.sqrt(m)).toFixed(2)}`, s],
          [`${k}*sqrt(${m})`, s],
        ],
        wrong: [
          [`${k}\\sqrt{${m + 1}}`, `${k}*sqrt(${m + 1})`],
          [`${k + 1}\\sqrt{${m}}`, `${k + 1}*sqrt(${m})`],
          [`\\sqrt{${k * m}}`, `sqrt(${k * m})`],
          [`${k} + \\sqrt{${m}}`, `${k}+sqrt(${m})`],
          [(k * Math.sqrt(m)).toFixed(2), `Rational(${(100 * k * Math.sqrt(m)).toFixed(0)},100)`],
          [`${k}\\sqrt[3]{${m}}`, `${k}*cbrt(${m})`],
          [`-${k}\\sqrt{${m}}`, `-${s}`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "surd sum",
    make(draw) {
      const [a, b, m] = [draw.whole(1, 15), draw.whole(2, 9), draw.pick(squarefree)];
      const s = `${a}+${b}*sqrt(${m})`;
      const under = a * a - b * b * m;
      return {
        gold: `${a}+${b}\\sqrt{${m}}`,
        sympy: s,
        right: [
          [`${b}\\sqrt{${m}} + ${a}`, s],
          [`${a} + \\sqrt{${b * b * m}}`, s],
          [`\\frac{${2 * a}+${2 * b}\\sqrt{${m}}}{2}`, s],
          [`\\frac{${under}}{${a}-${b}\\sqrt{${m}}}`, `(${under})/(${a}-${b}*sqrt(${m}))`],
          [`-(-${a}-${b}\\sqrt{${m}})`, s],
        ],
        wrong: [
          [`${a}-${b}\\sqrt{${m}}`, `${a}-${b}*sqrt(${m})`],
          [`${a + b}\\sqrt{${m}}`, `${a + b}*sqrt(${m})`],
          [`${a}+\\sqrt{${b * m}}`, `${a}+sqrt(${b * m})`],
          [`\\frac{${a}+${b}\\sqrt{${m}}}{2}`, `(${s})/2`],
          [`${a} \\pm ${b}\\sqrt{${m}}`, `0`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "root in a quotient",
    make(draw) {
      const [k, m, d] = [draw.whole(2, 9), draw.pick(squarefree), draw.pick([2, 3, 5, 7])];
      const s = `${k}*sqrt(${m})/${d}`;
      return {
        gold: `\\frac{${k}\\sqrt{${m}}}{${d}}`,
        sympy: s,
        right: [
          [`\\dfrac{${k}}{${d}}\\sqrt{${m}}`, s],
          [`\\frac{${k * m}}{${d}\\sqrt{${m}}}`, s],
          [`${k}\\sqrt{${m}}/${d}`, s],
          [`\\sqrt{\\frac{${k * k * m}}{${d * d}}}`, s],
        ],
        wrong: [
          [`\\frac{${k}\\sqrt{${m}}}{${d + 1}}`, `${k}*sqrt(${m})/${d + 1}`],
          [`\\frac{${k}}{${d}\\sqrt{${m}}}`, `${k}/(${d}*sqrt(${m}))`],
          [`${k}\\sqrt{\\frac{${m}}{${d}}}`, `${k}*sqrt(Rational(${m},${d}))`],
          [`\\frac{${d}\\sqrt{${m}}}{${k === d ? k + 1 : k}}`, `${d}*sqrt(${m})/${k === d ? k + 1 : k}`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "cube root",
    make(draw) {
      const [k, m] = [draw.whole(2, 7), draw.pick([2, 3, 5, 6, 7])];
      const s = `${k}*cbrt(${m})`;
      return {
        gold: `${k}\\sqrt[3]{${m}}`,
        sympy: s,
        right: [
          [`\\sqrt[3]{${k ** 3 * m}}`, `cbrt(${k ** 3 * m})`],
          [`${k} \\cdot ${m}^{\\frac{1}{3}}`, s],
          [`${k}\\cdot\\sqrt[3]{${m}}`, s],
        ],
        wrong: [
          [`${k}\\sqrt{${m}}`, `${k}*sqrt(${m})`],
          [`${k}\\sqrt[4]{${m}}`, `${k}*root(${m},4)`],
          [`\\sqrt[3]{${k * m}}`, `cbrt(${k * m})`],
          [`3\\sqrt{${k * m}}`, `3*sqrt(${k * m})`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "pi",
    make(draw) {
      const [a, b] = reduced(draw, 30, [2, 3, 4, 5, 6, 7, 12]);
      const s = `${a}*pi/${b}`;
      return {
        gold: a === 1 ? `\\frac{\\pi}{${b}}` : `\\frac{${a}\\pi}{${b}}`,
        sympy: s,
        right: [
          [`\\frac{${a}}{${b}}\\pi`, s],
          [`${a}\\pi/${b}`, s],
          [`\\pi \\cdot \\frac{${a}}{${b}}`, s],
          [`\\dfrac{${2 * a}\\pi}{${2 * b}}`, s],
          [`${a}π/${b}`, s],
          [`${a}*pi/${b}`, s],
        ],
        wrong: [
          [`\\frac{${a}}{${b}}`, `Rational(${a},${b})`],
          [`\\frac{${a + 1}\\pi}{${b}}`, `${a + 1}*pi/${b}`],
          [`\\frac{${a}}{${b}\\pi}`, `${a}/(${b}*pi)`],
          [((a / b) * 3.14).toFixed(2), `Rational(${((a / b) * 314).toFixed(0)},100)`],
          [`\\frac{${a}\\pi^2}{${b}}`, `${a}*pi**2/${b}`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "quadratic",
    make(draw) {
      const x = draw.pick(names);
      const [p, q] = [nonzero(draw, 9), nonzero(draw, 9)];
      const a = draw.whole(1, 4);
      const [b, c] = [a * (p + q), a * p * q];
      const middle = b === 0 ? "" : ` ${term(b, x)}`;
      const s = `${a}*(${x}+(${p}))*(${x}+(${q}))`;
      const factors = `(${x} ${term(p, "")})(${x} ${term(q, "")})`;
      const k = a === 1 ? "" : String(a);
      return {
        gold: `${first(a, x)}^2${middle} ${term(c, "")}`,
        sympy: s,
        right: [
          [`${k}${factors}`, s],
          [`${c}${middle} ${term(a, x)}^2`, s],
          [`${k}(${x} ${term(q, "")})(${x} ${term(p, "")})`, s],
          [`${first(a, x)}^{2} ${term(c, "")}${middle}`, s],
        ],
        wrong: [
          [`${first(a, x)}^2${middle} ${term(-c, "")}`, `${s}-(${2 * c})`],
          [`${first(a, x)}^2 ${term(b + 1, x)} ${term(c, "")}`, `${s}+${x}`],
          [`${first(a + 1, x)}^2${middle} ${term(c, "")}`, `${s}+${x}**2`],
          [`${first(a, x)}^3${middle} ${term(c, "")}`, `${s}-${a}*${x}**2+${a}*${x}**3`],
          [`${factors}^2`, `(${x}+(${p}))*(${x}+(${q}))**2`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "two names",
    make(draw) {
      const [a, b, c] = [draw.whole(2, 9), nonzero(draw, 9), nonzero(draw, 7)];
      const s = `${a}*x**2*y+(${b})*x*y+(${c})*y**2`;
      return {
        gold: `${a}x^2y ${term(b, "xy")} ${term(c, "y^2")}`,
        sympy: s,
        right: [
          [`y(${a}x^2 ${term(b, "x")} ${term(c, "y")})`, s],
          [`${first(c, "y^2")} ${term(b, "yx")} + ${a}yx^2`, s],
          [`${a}x^{2}y ${term(b, "x")} \\cdot y ${term(c, "y^{2}")}`, s],
        ],
        wrong: [
          [`${a}xy^2 ${term(b, "xy")} ${term(c, "y^2")}`, `${a}*x*y**2+(${b})*x*y+(${c})*y**2`],
          [`${a}x^2y ${term(-b, "xy")} ${term(c, "y^2")}`, `${s}-(${2 * b})*x*y`],
          [`${a}x^2y ${term(b, "xy")}`, `${s}-(${c})*y**2`],
          [`${a}a^2b ${term(b, "ab")} ${term(c, "b^2")}`, `${a}*a**2*b+(${b})*a*b+(${c})*b**2`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "rational function",
    make(draw) {
      const [p, q, k] = [nonzero(draw, 9), draw.whole(2, 9), draw.whole(2, 9)];
      const r = p === q ? q + 1 : q;
      const s = `${k}*(x+(${p}))/(x+${r})`;
      return {
        gold: `\\frac{${k}(x ${term(p, "")})}{x+${r}}`,
        sympy: s,
        right: [
          [`\\frac{${k}x ${term(k * p, "")}}{x+${r}}`, s],
          [`${k} \\cdot \\frac{x ${term(p, "")}}{${r}+x}`, s],
          [`${k} ${term(k * (p - r), "")} \\cdot \\frac{1}{x+${r}}`, s],
          [`\\frac{${-k}(x ${term(p, "")})}{-x-${r}}`, s],
        ],
        wrong: [
          [`\\frac{${k}x ${term(p, "")}}{x+${r}}`, `(${k}*x+(${p}))/(x+${r})`],
          [`\\frac{${k}(x ${term(p, "")})}{x-${r}}`, `${k}*(x+(${p}))/(x-${r})`],
          [`\\frac{x+${r}}{${k}(x ${term(p, "")})}`, `(x+${r})/(${k}*(x+(${p})))`],
          [`${k}x ${term(k * p, "")}/(x+${r})`, `${k}*x+(${k * p})/(x+${r})`],
        ],
      };
    },
  },
];
