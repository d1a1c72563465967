import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { gradeMaths } from "./grade-maths.ts";

const { uniform: random } = randomFromSeed(7);
const whole = (least: number, most: number): number => least + Math.floor(random() * (most - least + 1));
const commas = (n: number): string => n.toLocaleString("en-US");

function expectJudged(reply: string, gold: string, other: string): void {
  const isRight = (item: string): boolean => gradeMaths(`\\boxed{${reply}}`, item, { bareGold: true }).correct;
  expect([reply, isRight(gold), isRight(other)]).toEqual([reply, true, false]);
}

function spellings(p: number, q: number): string[] {
  const k = whole(2, 9);
  const [sign, size] = [p < 0 ? "-" : "", Math.abs(p)];
  return [
    `\\frac{${p}}{${q}}`,
    `${sign}\\dfrac{${size}}{${q}}`,
    `${p}/${q}`,
    `\\frac{${k * p}}{${k * q}}`,
    `${sign}\\left(\\frac{${size}}{${q}}\\right)`,
    `x = \\frac{${p}}{${q}}`,
    `\\frac{${p}}{${q}}\\text{ metres}`,
    ...(size > q ? [`${sign}${Math.floor(size / q)}\\frac{${size % q}}{${q}}`].filter(() => size % q > 0) : []),
  ];
}

test.for(Array.from({ length: 60 }, (_, i) => [i, whole(-400, 400) || 1, whole(2, 60)] as const))(
  "%i: every spelling of %i / %i is the same number, and none is another",
  ([, p, q]) => {
    const [first, ...others] = spellings(p, q) as [string, ...string[]];
    for (const other of others) expectJudged(other, first, `\\frac{${p + 1}}{${q}}`);
  },
);

test.for(Array.from({ length: 40 }, (_, i) => [i, whole(1000, 90_000_000)] as const))(
  "%i: thousands of %i",
  ([, n]) => {
    for (const spelling of [
      commas(n),
      commas(n).replaceAll(",", ",\\!"),
      commas(n).replaceAll(",", "{,}"),
      commas(n).replaceAll(",", "\\,"),
      commas(n).replaceAll(",", " "),
      `\\$${commas(n)}`,
      `${n}.0`,
    ])
      expectJudged(spelling, String(n), String(n + 1));
  },
);

test.for(Array.from({ length: 40 }, (_, i) => [i, whole(-9, 9), whole(-9, 9), whole(1, 9)] as const))(
  "%i: (x %i)(x %i) times %i, multiplied out",
  ([, a, b, c]) => {
    const signed = (n: number): string => (n < 0 ? String(n) : `+${n}`);
    const factors = `${c}(x${signed(a)})(x${signed(b)})`;
    const expanded = `${c}x^2 ${signed(c * (a + b))}x ${signed(c * a * b)}`;
    expect(gradeMaths(`\\boxed{${expanded}}`, factors, { bareGold: true }).correct).toBe(true);
    expect(gradeMaths(`\\boxed{${expanded}+1}`, factors, { bareGold: true }).correct).toBe(false);
    expect(gradeMaths(`\\boxed{y=${expanded}}`, `y=${factors}`, { bareGold: true }).correct).toBe(true);
  },
);

test.for(Array.from({ length: 30 }, (_, i) => [i, Array.from({ length: whole(2, 6) }, () => whole(-50, 50))] as const))(
  "%i: the list %j in any order, and no other list",
  ([, numbers]) => {
    const list = [...new Set(numbers)];
    const gold = list.join(", ");
    expect(gradeMaths(`\\boxed{${list.toReversed().join(", ")}}`, gold, { bareGold: true }).correct).toBe(true);
    expect(gradeMaths(`\\boxed{\\{${list.join(",")}\\}}`, gold, { bareGold: true }).correct).toBe(true);
    expect(gradeMaths(`\\boxed{${[...list, 99].join(", ")}}`, gold, { bareGold: true }).correct).toBe(false);
    expect(gradeMaths(`\\boxed{${[...list.slice(1), 99].join(", ")}}`, gold, { bareGold: true }).correct).toBe(false);
  },
);
