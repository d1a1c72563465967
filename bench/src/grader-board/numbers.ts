import { gcd, grouped, type Draw, type Template } from "./row.ts";

/** Numerator and denominator without a common factor, the denominator of `unders`. */
export function reduced(draw: Draw, most: number, unders: readonly number[]): readonly [number, number] {
  const under = draw.pick(unders);
  for (;;) {
    const over = draw.whole(1, most);
    if (gcd(over, under) === 1) return [over, under];
  }
}

export const fraction = (a: number | string, b: number | string): string => `\\frac{${a}}{${b}}`;
const frac = fraction;
const repeating = [3, 6, 7, 9, 11, 12, 13, 15] as const;
const finite = [4, 5, 8, 20, 25, 40] as const;

/** A whole number of so many digits. */
function digits(draw: Draw, count: number): string {
  return `${draw.whole(1, 9)}${Array.from({ length: count - 1 }, () => draw.whole(0, 9)).join("")}`;
}

/** Numbers in mathematics. */
export const numbers: readonly Template[] = [
  {
    kind: "maths",
    rule: "same-number",
    tag: "integer",
    make(draw) {
      const n = draw.whole(1000, 9_999_999);
      const near = draw.pick([n + 1, n - 1, n * 10, n + 100, -n]);
      return {
        gold: draw.pick([String(n), grouped(n)]),
        sympy: String(n),
        right: [
          [grouped(n), String(n)],
          [grouped(n, "{,}"), String(n)],
          [grouped(n, "\\,"), String(n)],
          [grouped(n, ",\\!"), String(n)],
          [`${n}.0`, String(n)],
          [`+${n}`, String(n)],
          [`${n}.00`, `${n}.00`],
        ],
        wrong: [
          [String(near), String(near)],
          [grouped(near), String(near)],
          [`-${grouped(n)}`, `-${n}`],
          [`${n}.5`, `${n}+Rational(1,2)`],
          [`${Math.floor(n / 1000)}.${String(n).slice(-3)}`, `Rational(${n},1000)+Rational(1,10**9)`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-number",
    tag: "huge number",
    make(draw) {
      const n = digits(draw, draw.whole(25, 60));
      const big = BigInt(n);
      const at = draw.whole(3, n.length - 3);
      const changed = `${n.slice(0, at)}${(Number(n[at]) + 1) % 10}${n.slice(at + 1)}`;
      return {
        gold: n,
        sympy: n,
        right: [
          [grouped(big), n],
          [`${n}.0`, n],
          [`${big - 7n} + 7`, `${big - 7n}+7`],
        ],
        wrong: [
          [String(big + 1n), String(big + 1n)],
          [changed, changed],
          [`${n}0`, `${n}0`],
          [n.slice(0, -1), n.slice(0, -1)],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-number",
    tag: "power",
    make(draw) {
      const [base, exponent] = [draw.whole(2, 13), draw.whole(40, 1500)];
      const power = `${base}^{${exponent}}`;
      const s = `${base}**${exponent}`;
      return {
        gold: power,
        sympy: s,
        right: [
          [`${base}\\cdot ${base}^{${exponent - 1}}`, s],
          [`\\left(${base}\\right)^{${exponent}}`, s],
          [frac(`${base}^{${exponent + 1}}`, base), `${base}**${exponent + 1}/${base}`],
        ],
        wrong: [
          [`${base}^{${exponent}} - 1`, `${s}-1`],
          [`${base}^{${exponent + 1}}`, `${base}**${exponent + 1}`],
          [`${base + 1}^{${exponent}}`, `${base + 1}**${exponent}`],
          [`${exponent}^{${base}}`, `${exponent}**${base}`],
          [`${base} \\cdot ${exponent}`, `${base}*${exponent}`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-number",
    tag: "fraction",
    make(draw) {
      const [a, b] = reduced(draw, 60, [...repeating, ...finite]);
      const k = draw.whole(2, 9);
      const s = `Rational(${a},${b})`;
      return {
        gold: frac(a, b),
        sympy: s,
        right: [
          [`\\dfrac{${a}}{${b}}`, s],
          [`\\tfrac{${a}}{${b}}`, s],
          [`${a}/${b}`, s],
          [frac(a * k, b * k), `Rational(${a * k},${b * k})`],
          [frac(-a, -b), s],
          [`${a} \\div ${b}`, s],
          [`${a} \\cdot ${frac(1, b)}`, s],
        ],
        wrong: [
          [frac(b, a), a === b ? `2` : `Rational(${b},${a})`],
          [frac(a + 1, b), `Rational(${a + 1},${b})`],
          [frac(a, b + 1), `Rational(${a},${b + 1})`],
          [`-${frac(a, b)}`, `-${s}`],
          [`${a * b}`, String(a * b)],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-number",
    tag: "negative fraction",
    make(draw) {
      const [a, b] = reduced(draw, 40, repeating);
      const s = `-Rational(${a},${b})`;
      return {
        gold: `-${frac(a, b)}`,
        sympy: s,
        right: [
          [frac(-a, b), s],
          [frac(a, -b), s],
          [`-${a}/${b}`, s],
          [`\\left(-\\dfrac{${a}}{${b}}\\right)`, s],
          [`\u2212${a}/${b}`, s],
        ],
        wrong: [
          [frac(a, b), `Rational(${a},${b})`],
          [frac(-a, -b), `Rational(${a},${b})`],
          [`-${frac(b, a)}`, a === b ? "5" : `-Rational(${b},${a})`],
          [`1-${frac(a, b)}`, `1${s}`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-number",
    tag: "mixed number",
    make(draw) {
      const [w, c] = [draw.whole(2, 30), draw.pick([3, 7, 8, 9, 11, 5])];
      const b = draw.whole(1, c - 1);
      const s = `Rational(${w * c + b},${c})`;
      const latex = `${w}\\frac{${b}}{${c}}`;
      return {
        gold: draw.pick([latex, frac(w * c + b, c)]),
        sympy: s,
        right: [
          [latex, s],
          [`${w} \\dfrac{${b}}{${c}}`, s],
          [`${w} + ${frac(b, c)}`, s],
          [frac(w * c + b, c), s],
          [`${w}\\ ${frac(b, c)}`, s],
          [`${w} ${b}/${c}`, s],
        ],
        wrong: [
          [`${w} \\cdot ${frac(b, c)}`, `${w}*Rational(${b},${c})`],
          [`${w}(${frac(b, c)})`, `${w}*Rational(${b},${c})`],
          [frac(w * b, c), `${w}*Rational(${b},${c})`],
          [`${w + 1}\\frac{${b}}{${c}}`, `${s}+1`],
          [`${w} - ${frac(b, c)}`, `${w}-Rational(${b},${c})`],
          [String(w), String(w)],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-number",
    tag: "decimal",
    make(draw) {
      const thousandths = draw.whole(1, 99) * 10 + draw.whole(1, 9);
      const w = draw.whole(0, 40);
      const n = w * 1000 + thousandths;
      const d = (n / 1000).toFixed(3);
      const g = gcd(n, 1000);
      const s = `Rational(${n},1000)`;
      return {
        gold: d,
        sympy: s,
        right: [
          [`${d}0`, s],
          [frac(n / g, 1000 / g), s],
          [`${n} \\times 10^{-3}`, s],
          [`${n}/1000`, s],
          [`${d} \\text{ units}`, s],
          [w === 0 ? d.slice(1) : `+${d}`, s],
        ],
        wrong: [
          [(n / 100).toFixed(2), `Rational(${n},100)`],
          [(n / 10_000).toFixed(4), `Rational(${n},10000)`],
          [((n + 1) / 1000).toFixed(3), `Rational(${n + 1},1000)`],
          [(n / 1000).toFixed(1), `Rational(${Math.round(Number((n / 1000).toFixed(1)) * 10)},10)`],
          [`-${d}`, `-${s}`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "rounding",
    tag: "rounded",
    make(draw) {
      const [a, b] = reduced(draw, 50, repeating);
      const s = `Rational(${a},${b})`;
      return {
        gold: frac(a, b),
        right: [(a / b).toFixed(8), (a / b).toFixed(6), [`${frac(a, b)} \\approx ${(a / b).toFixed(2)}`, s]],
        wrong: [(a / b).toFixed(2), (a / b).toFixed(3), `\\approx ${(a / b).toFixed(1)}`, (a / b).toFixed(4)],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-number",
    tag: "repeating decimal",
    make(draw) {
      const [n, w] = [draw.whole(1, 98), draw.whole(0, 9)];
      const two = String(n).padStart(2, "0");
      const s = `Rational(${w * 99 + n},99)`;
      return {
        gold: frac(w * 99 + n, 99),
        sympy: s,
        right: [
          [`${w}.\\overline{${two}}`, s],
          [`${w}.${two}\\overline{${two}}`, s],
          [frac((w * 99 + n) * 2, 198), s],
        ],
        wrong: [
          [`${w}.${two}`, `Rational(${w * 100 + n},100)`],
          [`${w}.0\\overline{${two}}`, `${w}+Rational(${n},990)`],
          [`${w}.\\overline{${String(n + 1).padStart(2, "0")}}`, `Rational(${w * 99 + n + 1},99)`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "percent",
    tag: "percent",
    make(draw) {
      const p = draw.whole(3, 98);
      const g = gcd(p, 100);
      const s = `Rational(${p},100)`;
      return {
        gold: `${p}\\%`,
        sympy: s,
        right: [
          [`${p}\\%`, s],
          [`${p}.0\\%`, s],
          [String(p / 100), s],
          [frac(p / g, 100 / g), s],
          { reply: `The answer is ${p}%.` },
          { reply: `So the share is $${p}\\%$.` },
          { reply: `\\boxed{${p}}\\%` },
        ],
        wrong: [
          [`${p + 1}\\%`, `Rational(${p + 1},100)`],
          [`${p / 10}\\%`, `Rational(${p},1000)`],
          [`${p / 100}\\%`, `Rational(${p},10000)`],
          [`${100 - p === p ? 1 : 100 - p}\\%`, `Rational(${100 - p === p ? 1 : 100 - p},100)`],
          [`-${p}\\%`, `-${s}`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-number",
    tag: "scientific",
    make(draw) {
      const [m, e] = [draw.whole(11, 99), draw.other(3, 12)];
      const mantissa = (m / 10).toFixed(1);
      const s = `${m}*10**${e - 1}`;
      const small = draw.pick([1, -1]);
      if (small < 0) {
        const t = `Rational(${m},10**${e + 1})`;
        return {
          gold: `${mantissa} \\times 10^{-${e}}`,
          sympy: t,
          right: [
            [`${mantissa}e-${e}`, t],
            [`${mantissa} \\cdot 10^{-${e}}`, t],
            [`${m} \\times 10^{-${e + 1}}`, t],
            [frac(mantissa, `10^{${e}}`), t],
          ],
          wrong: [
            [`${mantissa} \\times 10^{${e}}`, s],
            [`${mantissa} \\times 10^{-${e + 1}}`, `Rational(${m},10**${e + 2})`],
            [`${mantissa}e-${e - 1}`, `Rational(${m},10**${e})`],
            ["0", "0"],
          ],
        };
      }
      return {
        gold: `${mantissa} \\times 10^{${e}}`,
        sympy: s,
        right: [
          [`${mantissa}e${e}`, s],
          [`${mantissa} \\cdot 10^{${e}}`, s],
          [grouped(m * 10 ** (e - 1)), s],
          [`${m} \\times 10^{${e - 1}}`, s],
          [`${mantissa}\\times10^${e > 9 ? `{${e}}` : e}`, s],
          [`${mantissa}E+${e}`, s],
        ],
        wrong: [
          [`${mantissa} \\times 10^{${e + 1}}`, `${m}*10**${e}`],
          [`${mantissa} \\times 10^{-${e}}`, `Rational(${m},10**${e + 1})`],
          [mantissa, `Rational(${m},10)`],
          [`${mantissa} \\times ${e}^{10}`, `Rational(${m},10)*${e}**10`],
        ],
      };
    },
  },
  {
    kind: "maths",
    rule: "same-number",
    tag: "combinatorial",
    make(draw) {
      const n = draw.whole(6, 14);
      const k = draw.whole(2, Math.floor((n - 1) / 2));
      const s = `binomial(${n},${k})`;
      return {
        gold: `\\binom{${n}}{${k}}`,
        sympy: s,
        right: [
          [`\\binom{${n}}{${n - k}}`, `binomial(${n},${n - k})`],
          [`\\frac{${n}!}{${k}!\\,${n - k}!}`, `factorial(${n})/factorial(${k})/factorial(${n - k})`],
          [`{${n} \\choose ${k}}`, s],
          [`\\dbinom{${n}}{${k}}`, s],
        ],
        wrong: [
          [`\\binom{${n + 1}}{${k}}`, `binomial(${n + 1},${k})`],
          [`\\frac{${n}!}{${n - k}!}`, `factorial(${n})/factorial(${n - k})`],
          [`\\frac{${n}}{${k}}`, `Rational(${n},${k})`],
          [`\\binom{${k}}{${n}}`, "0"],
        ],
      };
    },
  },
];
