import { nonzero, term } from "./expressions.ts";
import { gcd, type Template } from "./row.ts";

/** Functions, complex numbers, spellings. */
export const functions: readonly Template[] = [
  {
    kind: "maths",
    rule: "same-expression",
    tag: "logarithm",
    make(draw) {
      const [a, k] = [draw.pick([2, 3, 5, 7]), draw.whole(2, 5)];
      const s = `${k}*log(${a})`;
      return {
        gold: `${k}\\ln ${a}`,
        sympy: s,
        right: [
          [`\\ln ${a ** k}`, `log(${a ** k})`],
          [`\\ln(${a}^${k})`, s],
          [`-\\ln \\frac{1}{${a ** k}}`, s],
          [`${k}\\ln(${a})`, s],
        ],
        wrong: [
          [`\\ln ${a * k + (k === 2 && a === 2 ? 1 : 0)}`, `log(${a * k + (k === 2 && a === 2 ? 1 : 0)})`],
          [`\\ln ${k} + \\ln ${a + 10}`, `log(${k})+log(${a + 10})`],
          [`(\\ln ${a})^${k}`, `log(${a})**${k}`],
          [`${k}\\log_{10} ${a}`, `${k}*log(${a})/log(10)`],
          [`-${k}\\ln ${a}`, `-${s}`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "exponential",
    make(draw) {
      const [k, c] = [draw.whole(2, 6), draw.whole(2, 9)];
      const s = `${c}*exp(${k}*x)`;
      return {
        gold: `${c}e^{${k}x}`,
        sympy: s,
        right: [
          [`${c}(e^x)^{${k}}`, s],
          [`${c}\\exp(${k}x)`, s],
          [`e^{${k}x} \\cdot ${c}`, s],
          [`\\frac{${c}}{e^{-${k}x}}`, s],
        ],
        wrong: [
          [`${c}e^{${k + 1}x}`, `${c}*exp(${k + 1}*x)`],
          [`${c}e^{-${k}x}`, `${c}*exp(-${k}*x)`],
          [`${c}e^{x^{${k}}}`, `${c}*exp(x**${k})`],
          [`${c * k}e^{${k}x}`, `${c * k}*exp(${k}*x)`],
          [`${c}e^${k}x`, `${c}*exp(${k})*x`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "trigonometry",
    make(draw) {
      const k = draw.whole(1, 5);
      const c = k === 1 ? "" : String(k);
      const s = `${k}*sin(2*x)`;
      return {
        gold: `${c}\\sin 2x`,
        sympy: s,
        right: [
          [`${2 * k}\\sin x\\cos x`, s],
          [`${c}\\sin(2x)`, s],
          [`${2 * k}\\cos(x)\\sin(x)`, s],
          [`${c}\\cos\\left(2x-\\frac{\\pi}{2}\\right)`, s],
        ],
        wrong: [
          [`${c}\\cos 2x`, `${k}*cos(2*x)`],
          [`${2 * k}\\sin x`, `${2 * k}*sin(x)`],
          [`${c}\\sin^2 x`, `${k}*sin(x)**2`],
          [`-${c}\\sin 2x`, `-${s}`],
          [`${c}\\sin x^2`, `${k}*sin(x**2)`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "complex",
    make(draw) {
      const a = nonzero(draw, 12);
      const b = draw.other(2, 12, a);
      const s = `${a}+${b}*I`;
      return {
        gold: `${a}+${b}i`,
        sympy: s,
        right: [
          [`${b}i ${term(a, "")}`, s],
          [`${a} + ${b}\\mathrm{i}`, s],
          [`${a}+i\\cdot ${b}`, s],
          [`i(${b} ${term(-a, "")}i)`, s],
        ],
        wrong: [
          [`${a}-${b}i`, `${a}-${b}*I`],
          [`${b} ${term(a, "i")}`, `${b}+(${a})*I`],
          [`${a}+${b}`, `${a}+${b}`],
          [`${a + 1}+${b}i`, `${a + 1}+${b}*I`],
          [`${a}+${b}j k`, "0"],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "powers of names",
    make(draw) {
      const [p, q] = [draw.whole(2, 7), draw.whole(2, 7)];
      const s = `x**${p + q}`;
      return {
        gold: `x^{${p + q}}`,
        sympy: s,
        right: [
          [`x^${p} \\cdot x^${q}`, s],
          [`\\frac{x^{${p + q + 3}}}{x^3}`, s],
          [`\\left(\\frac{1}{x}\\right)^{-${p + q}}`, s],
        ],
        wrong: [
          [`x^{${p * q === p + q ? p * q + 1 : p * q}}`, `x**${p * q === p + q ? p * q + 1 : p * q}`],
          [`${p + q}x`, `${p + q}*x`],
          [`x^${p} + x^${q}`, `x**${p}+x**${q}`],
          [`x^{-${p + q}}`, `x**(-${p + q})`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "sum of cubes",
    make(draw) {
      const k = draw.whole(2, 9);
      const sign = draw.pick([1, -1]);
      const s = `x**3+(${sign * k ** 3})`;
      return {
        gold: `x^3 ${term(sign * k ** 3, "")}`,
        sympy: s,
        right: [
          [`(x ${term(sign * k, "")})(x^2 ${term(-sign * k, "x")} + ${k * k})`, s],
          [`${sign * k ** 3} + x^{3}`, s],
          [`x \\cdot x^2 ${term(sign, "")} \\cdot ${k}^3`, s],
        ],
        wrong: [
          [`(x ${term(sign * k, "")})^3`, `(x+(${sign * k}))**3`],
          [
            `(x ${term(sign * k, "")})(x^2 ${term(sign * k, "x")} + ${k * k})`,
            `(x+(${sign * k}))*(x**2+(${sign * k})*x+${k * k})`,
          ],
          [`x^3 ${term(-sign * k ** 3, "")}`, `x**3-(${sign * k ** 3})`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-expression",
    tag: "function",
    make(draw) {
      const [m, c] = [draw.whole(2, 9), nonzero(draw, 9)];
      const [f, x] = [draw.pick(["f", "g", "h", "P"]), draw.pick(["x", "t", "n"])];
      return {
        gold: draw.pick([`${m}${x} ${term(c, "")}`, `${f}(${x}) = ${m}${x} ${term(c, "")}`]),
        right: [
          `${m}${x} ${term(c, "")}`,
          `${f}(${x}) = ${m}${x} ${term(c, "")}`,
          `${f}(${x}) = ${c} + ${m}${x}`,
          `${f}\\left(${x}\\right)=${m}${x}${term(c, "")}`,
        ],
        wrong: [
          `${f}(${x}) = ${m}${x} ${term(-c, "")}`,
          `${f}(${x}) = ${m + 1}${x} ${term(c, "")}`,
          `${f}(${x}) = ${m}`,
          `${f}(${x})`,
          `${m}${x}^2 ${term(c, "")}`,
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "spelling",
    tag: "spelling",
    make(draw) {
      const [a, b, m] = [draw.whole(1, 9), draw.other(2, 9, 4), draw.pick([2, 3, 5, 6, 7])];
      const g = gcd(a, b) === 1 ? a : 1;
      return {
        gold: `\\frac{${g}\\sqrt{${m}}}{${b}}`,
        right: [
          `\\dfrac{${g}\\sqrt{${m}}}{${b}}`,
          `\\frac{${g} \\sqrt ${m}}${b}`,
          `\\left(\\frac{${g}\\sqrt{${m}}}{${b}}\\right)`,
          `\\,\\frac{\\,${g}\\!\\sqrt{${m}}}{\\,${b}\\,}\\,`,
          `{\\frac{{${g}}{\\sqrt{{${m}}}}}{{${b}}}}`,
          `\\\\frac{${g}\\\\sqrt{${m}}}{${b}}`,
          `\\displaystyle\\frac{${g}\\sqrt{${m}}}{${b}}.`,
          `\\bigl(\\tfrac{${g}\\sqrt{${m}}}{${b}}\\bigr)`,
        ],
        wrong: [
          `\\frac{${g}\\sqrt{${m}}}{${b}}\\sqrt{${m}}`,
          `\\frac{${g}}{${b}} + \\sqrt{${m}}`,
          `\\left(\\frac{${g}\\sqrt{${m}}}{${b}}\\right)^2`,
          `\\frac{${b}}{${g}\\sqrt{${m}}} + 1`,
        ],
      };
    },
  },
];
