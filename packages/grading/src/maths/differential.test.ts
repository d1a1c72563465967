import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { gradeMaths } from "./grade-maths.ts";

const { uniform: random } = randomFromSeed(23);
const whole = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
const pick = <T>(items: readonly T[]): T => items[whole(0, items.length - 1)] as T;

interface Known {
  readonly latex: string;
  readonly value: bigint;
}

const absolute = (n: bigint): bigint => (n < 0n ? -n : n);
const floorOf = (n: bigint, d: bigint): bigint => (n >= 0n ? n / d : -((-n + d - 1n) / d));
const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? absolute(a) : gcd(b, a % b));
const factorial = (n: number): bigint => Array.from({ length: n }, (_, i) => BigInt(i + 1)).reduce((a, b) => a * b, 1n);

function expression(depth: number): Known {
  if (depth === 0) {
    const n = whole(0, pick([9, 99, 99_999]));
    return { latex: String(n), value: BigInt(n) };
  }
  const [a, b] = [expression(depth - 1), expression(whole(0, depth - 1))];
  const small = whole(2, 12);
  switch (whole(0, 9)) {
    case 0:
      return { latex: `${a.latex}+(${b.latex})`, value: a.value + b.value };
    case 1:
      return { latex: `\\left(${a.latex}\\right)-\\left(${b.latex}\\right)`, value: a.value - b.value };
    case 2:
      return { latex: `(${a.latex})\\cdot(${b.latex})`, value: a.value * b.value };
    case 3: {
      const exponent = whole(2, a.value.toString().length > 12 ? 3 : 60);
      return { latex: `(${a.latex})^{${exponent}}`, value: a.value ** BigInt(exponent) };
    }
    case 4:
      return {
        latex: `\\left\\lfloor\\frac{${a.latex}}{${small}}\\right\\rfloor`,
        value: floorOf(a.value, BigInt(small)),
      };
    case 5:
      return {
        latex: `\\left\\lceil\\frac{${a.latex}}{${small}}\\right\\rceil`,
        value: -floorOf(-a.value, BigInt(small)),
      };
    case 6:
      return { latex: `\\gcd(${a.latex},${small * 6})`, value: gcd(a.value, BigInt(small * 6)) };
    case 7:
      return { latex: `${small}!+(${a.latex})`, value: factorial(small) + a.value };
    case 8:
      return {
        latex: `\\binom{${small + 4}}{3}\\times(${a.latex})`,
        value: (BigInt((small + 4) * (small + 3) * (small + 2)) / 6n) * a.value,
      };
    default:
      return { latex: `\\frac{${small}(${a.latex})}{${small}}`, value: a.value };
  }
}

const judge = (answer: string, gold: string): boolean =>
  gradeMaths(`\\boxed{${answer}}`, gold, { bareGold: true }).correct;

/** LACONIC_FUZZ sets the number, as for random texts. */
const rounds = Math.min(20_000, Math.max(1, Math.round(Number(process.env["LACONIC_FUZZ"] ?? 3000) / 10)));

test(`${rounds} random expressions equal their value and no other`, () => {
  const failures: unknown[] = [];
  for (let i = 0; i < rounds; i++) {
    const { latex, value } = expression(whole(1, 4));
    if (latex.length > 400 || absolute(value).toString().length > 380) continue;
    const near = value + pick([1n, -1n, 2n, 10n]);
    const other = value === 0n ? 7n : pick([value * 10n, -value, value * 2n]);
    const replies = [
      judge(latex, String(value)),
      judge(String(value), latex),
      judge(latex, String(near)),
      judge(String(near), latex),
      judge(latex, String(other)),
    ];
    if (replies.join() !== "true,true,false,false,false") failures.push([latex, value, near, other, replies]);
  }
  expect(failures).toEqual([]);
});

test(`${rounds} powers beyond floating point equal their values and differ from neighbours`, () => {
  const failures: unknown[] = [];
  for (let i = 0; i < rounds; i++) {
    const [base, exponent, split] = [whole(2, 99), whole(400, 5000), whole(2, 300)];
    const gold = `${base}^{${exponent}}`;
    const equal = pick([
      `${base}^{${split}}\\cdot ${base}^{${exponent - split}}`,
      `${base}^{${exponent + 1}}-${base - 1}\\cdot ${base}^{${exponent}}`,
      `\\frac{${base}^{${exponent + split}}}{${base}^{${split}}}`,
      `${base * base}^{${Math.floor(exponent / 2)}}${exponent % 2 ? `\\cdot ${base}` : ""}`,
    ]);
    const different = pick([
      `${gold}+${whole(1, 9)}`,
      `${gold}-${base}^{${split}}`,
      `${base + 1}^{${exponent}}`,
      `${base}^{${exponent + 1}}`,
      `-${gold}`,
      `${equal}-1`,
    ]);
    if (!judge(equal, gold) || !judge(gold, equal) || judge(different, gold) || judge(gold, different))
      failures.push([gold, equal, different]);
  }
  expect(failures).toEqual([]);
});

test(`${rounds} floors of n over k: equal only to themselves`, () => {
  const failures: unknown[] = [];
  for (let i = 0; i < rounds / 5; i++) {
    const [k, shift] = [whole(2, 30), whole(0, 9)];
    const gold = `\\left\\lfloor\\frac{n+${shift}}{${k}}\\right\\rfloor`;
    const equal = pick([
      `\\left\\lfloor\\frac{n+${shift + k}}{${k}}\\right\\rfloor-1`,
      `\\left\\lceil\\frac{n+${shift}-${k - 1}}{${k}}\\right\\rceil`,
      `\\left\\lfloor\\frac{2n+${2 * shift + 1}}{${2 * k}}\\right\\rfloor`,
    ]);
    const different = pick([
      `\\left\\lfloor\\frac{n+${shift + 1}}{${k}}\\right\\rfloor`,
      `\\left\\lceil\\frac{n+${shift}}{${k}}\\right\\rceil`,
      `\\left\\lfloor\\frac{n+${shift}}{${k + 1}}\\right\\rfloor`,
      `\\frac{n+${shift}}{${k}}`,
    ]);
    if (!judge(equal, gold) || judge(different, gold) || judge(gold, different))
      failures.push([gold, equal, different]);
  }
  expect(failures).toEqual([]);
});
