import { describe, expect, test } from "vitest";
import { gradeMaths } from "./grade-maths.ts";

/** Gold, answers that are equal to it, near misses. */
type Row = readonly [gold: string, equal: readonly string[], different: readonly string[]];

const huge: readonly Row[] = [
  ["2^{2009}", ["4^{1004}\\cdot 2", "2\\cdot 2^{2008}", "2^{2010}-2^{2009}"], ["3^{2009}", "2^{2009}+1", "2^{2008}"]],
  ["10^{10^{10}}", ["100^{5\\cdot 10^{9}}", "10^{10000000000}"], ["10^{10^{11}}", "10^{10^{10}}+1", "11^{10^{10}}"]],
  ["2^{1009}", ["2^{1008}+2^{1008}", "4^{504}\\cdot 2"], ["2^{1009}-2", "2^{1009}-1", "-2^{1009}", "2^{1010}"]],
  [
    "\\frac{3^{2000}-1}{2}",
    ["\\frac{9^{1000}-1}{2}", "\\frac12\\left(3^{2000}-1\\right)"],
    ["\\frac{3^{2000}+1}{2}", "3^{2000}-1"],
  ],
  ["2009!", ["2009\\cdot 2008!"], ["2008!", "2009!+1", "2009\\cdot 2007!"]],
  [
    "\\binom{2009}{3}",
    ["\\frac{2009\\cdot 2008\\cdot 2007}{6}", "\\binom{2009}{2006}"],
    ["\\binom{2009}{4}", "\\binom{2010}{3}"],
  ],
  [
    "\\binom{2000}{1000}",
    ["\\frac{2000!}{1000!\\cdot 1000!}", "\\frac{2000!}{(1000!)^2}"],
    ["\\binom{2000}{999}", "\\frac{2000!}{1000!}"],
  ],
  ["10^{12}+\\sqrt2", ["\\sqrt2+10^{6}\\cdot 10^{6}"], ["10^{12}+1", "10^{12}+\\sqrt3", "10^{12}"]],
  ["2^{500}\\sqrt3", ["2^{499}\\sqrt{12}"], ["2^{500}\\sqrt3+1", "2^{499}\\sqrt{13}"]],
  ["\\sqrt{10^{40}+1}", [], ["10^{20}", "\\sqrt{10^{40}+2}"]],
  ["\\pi^{1000}", ["\\pi^{999}\\cdot\\pi"], ["\\pi^{1001}", "3.14159265^{1000}"]],
  ["e^{-200}", ["\\frac{1}{e^{200}}", "(e^{-100})^2"], ["e^{-201}", "0"]],
  ["\\frac{1}{3^{700}}", ["3^{-700}", "\\frac{3}{3^{701}}"], ["\\frac{1}{3^{701}}", "0", "3^{-700}+3^{-1500}"]],
  ["1-2^{-1000}", ["\\frac{2^{1000}-1}{2^{1000}}"], ["1", "1-2^{-1001}", "1+2^{-1000}"]],
  ["i^{2009}", ["i"], ["-i", "1", "-1"]],
  ["x^{2009}-1", ["x\\cdot x^{2008}-1"], ["x^{2008}-1", "x^{2009}+1", "x^{2009}"]],
  ["2^{1009}x", ["2x\\cdot 2^{1008}"], ["(2^{1009}-2)x", "2^{1009}x+1"]],
  ["x^2+y^2=2^{1009}", ["2^{1009}=x^2+y^2", "2x^2+2y^2=2^{1010}"], ["x^2+y^2=2^{1009}-2", "x^2+y^2=2^{1008}"]],
  ["y=x+10^{10}\\sqrt2", ["x-y=-10^{10}\\sqrt2"], ["y=x+10^{10}\\sqrt2+1", "y=x+10^{10}\\sqrt2+\\frac{1}{10}"]],
  ["(2^{1009},3)", ["(2\\cdot 2^{1008},3)"], ["(2^{1009}-2,3)", "(2^{1009},4)"]],
  ["\\{3^{700},1\\}", ["1, 3\\cdot 3^{699}"], ["3^{700}+1, 1", "3^{700}"]],
];

const constants: readonly Row[] = [
  ["\\lfloor\\log_{10}2^{1000}\\rfloor", ["301"], ["302", "300"]],
  [
    "302",
    ["\\lfloor 1000\\log_{10}2\\rfloor+1", "\\lceil \\log_{10} 2^{1000}\\rceil"],
    ["\\lfloor 1000\\log_{10}2\\rfloor"],
  ],
  ["\\lfloor\\log_2 1024\\rfloor", ["10"], ["9", "11"]],
  ["\\lceil\\log_2 1025\\rceil", ["11"], ["10", "12"]],
  ["\\lfloor(\\sqrt2+1)^{20}\\rfloor", ["45239073"], ["45239074", "45239072"]],
  ["\\gcd(48,180)", ["12"], ["6", "24", "720"]],
  ["\\operatorname{lcm}(4,6,10)", ["60"], ["120", "30", "2"]],
  ["7^{100}\\bmod 13", ["9"], ["7", "1", "3"]],
  [
    "\\log_2 3",
    ["\\frac{\\ln 3}{\\ln 2}", "\\log_4 9", "\\frac{1}{\\log_3 2}"],
    ["\\log_3 2", "\\frac{\\ln 2}{\\ln 3}", "1.58"],
  ],
  ["\\log_{10} 5", ["1-\\log_{10}2", "\\log 5"], ["\\ln 5", "0.7", "\\log_{10}5+10^{-12}"]],
  [
    "\\sqrt{2+\\sqrt3}",
    ["\\frac{\\sqrt6+\\sqrt2}{2}"],
    ["\\frac{\\sqrt6-\\sqrt2}{2}", "\\frac{\\sqrt6+\\sqrt2}{2}+10^{-11}"],
  ],
  ["\\cos\\frac{\\pi}{5}", ["\\frac{1+\\sqrt5}{4}"], ["\\frac{1-\\sqrt5}{4}", "\\frac{1+\\sqrt5}{4}+10^{-11}"]],
  ["e^{\\pi\\sqrt{163}}", [], ["262537412640768744", "262537412640768743"]],
  ["\\arctan\\frac12+\\arctan\\frac13", ["\\frac{\\pi}{4}"], ["\\frac{\\pi}{4}+10^{-11}", "\\frac{\\pi}{3}"]],
  ["\\sqrt[3]{2}", ["2^{1/3}", "\\sqrt[6]{4}"], ["\\sqrt[3]{2}+10^{-11}", "\\sqrt2"]],
  ["8^{1/3}", ["2"], ["2.1", "3"]],
  ["\\frac{22}{7}", ["3\\frac17"], ["\\pi", "3.142856"]],
];

/** Truths about whole numbers: floors, factorials, divisors, remainders, signs. */
const whole: readonly Row[] = [
  [
    "\\lfloor\\frac n2\\rfloor",
    ["\\lceil\\frac{n-1}{2}\\rceil", "\\frac{2n-1+(-1)^n}{4}"],
    [
      "\\lfloor\\frac n3\\rfloor",
      "\\lceil\\frac n2\\rceil",
      "\\frac n2",
      "\\lfloor\\frac{n+1}{2}\\rfloor",
      "\\lfloor\\frac{n-1}{2}\\rfloor",
    ],
  ],
  [
    "\\lceil\\frac n2\\rceil",
    ["\\lfloor\\frac{n+1}{2}\\rfloor", "n-\\lfloor\\frac n2\\rfloor"],
    ["\\lfloor\\frac n2\\rfloor", "\\lfloor\\frac n2\\rfloor+1"],
  ],
  [
    "\\lfloor\\log_2 n\\rfloor",
    [],
    ["\\lfloor\\log_3 n\\rfloor", "\\lceil\\log_2 n\\rceil", "\\log_2 n", "\\lfloor\\log_2(n+1)\\rfloor"],
  ],
  [
    "\\lfloor\\log_2 n\\rfloor+1",
    ["\\lceil\\log_2(n+1)\\rceil"],
    ["\\lceil\\log_2 n\\rceil", "\\lceil\\log_2 n\\rceil+1"],
  ],
  [
    "\\left\\lfloor\\frac{n^2}{4}\\right\\rfloor",
    ["\\lfloor\\frac n2\\rfloor\\lceil\\frac n2\\rceil"],
    ["\\lfloor\\frac n2\\rfloor^2", "\\frac{n^2}{4}", "\\lfloor\\frac{n^2+1}{4}\\rfloor+1"],
  ],
  [
    "\\lfloor\\sqrt n\\rfloor",
    [],
    ["\\lceil\\sqrt n\\rceil", "\\sqrt n", "\\lfloor\\sqrt{n+1}\\rfloor", "\\lfloor\\sqrt{n-1}\\rfloor"],
  ],
  ["\\lfloor\\frac{n}{100}\\rfloor", [], ["\\lfloor\\frac{n}{101}\\rfloor", "0", "\\lfloor\\frac{n-1}{100}\\rfloor"]],
  [
    "\\lfloor x\\rfloor",
    ["\\lceil x+1\\rceil-\\lceil x\\rceil-1+\\lfloor x\\rfloor"],
    ["x", "\\lceil x\\rceil", "\\lfloor x+1\\rfloor"],
  ],
  ["n!", ["n\\cdot(n-1)!"], ["n", "(n-1)!", "n!+1", "(n+1)!"]],
  ["(n+1)!-n!", ["n\\cdot n!"], ["n!", "(n+1)\\cdot n!"]],
  ["\\binom n2", ["\\frac{n(n-1)}{2}", "\\binom{n}{n-2}"], ["\\frac{n(n+1)}{2}", "\\binom n3", "\\binom{n+1}{2}"]],
  [
    "\\binom{n+k}{k}",
    ["\\binom{n+k}{n}", "\\frac{(n+k)!}{n!k!}"],
    ["\\binom{n+k}{k+1}", "\\binom nk", "\\frac{(n+k)!}{n!}"],
  ],
  ["\\binom{2n}{n}", ["\\frac{(2n)!}{(n!)^2}"], ["\\binom{2n}{n+1}", "\\frac{(2n)!}{n!}", "2^n"]],
  ["(-1)^n", ["(-1)^{n+2}", "\\cos(n\\pi)", "(-1)^{-n}"], ["(-1)^{n+1}", "1", "-1"]],
  ["\\frac{1+(-1)^n}{2}", ["\\frac{(-1)^n+(-1)^{2n}}{2}"], ["\\frac{1-(-1)^n}{2}", "1", "0"]],
  ["2^n-1", ["2\\cdot 2^{n-1}-1"], ["2^n", "2^{n-1}", "2^n-2", "n"]],
  [
    "\\gcd(m,n)",
    ["\\gcd(n,m)", "\\frac{mn}{\\operatorname{lcm}(m,n)}"],
    ["1", "\\operatorname{lcm}(m,n)", "\\min(m,n)"],
  ],
  ["n\\bmod 3", ["n-3\\lfloor\\frac n3\\rfloor"], ["n\\bmod 4", "n", "(n+1)\\bmod 3"]],
  ["p+q-\\gcd(p,q)", ["q+p-\\gcd(q,p)"], ["p+q-1", "p+q"]],
];

const symbolic: readonly Row[] = [
  ["\\frac{x^2-1}{x-1}", ["x+1"], ["x-1", "x+1+10^{-12}"]],
  ["(x+1)^{50}", ["(x+1)^{49}(x+1)", "(x^2+2x+1)^{25}"], ["(x+1)^{50}+10^{-9}", "x^{50}+1"]],
  ["\\sqrt{x^4}", ["x^2"], ["x^3", "-x^2"]],
  ["\\ln(xy)", ["\\ln x+\\ln y"], ["\\ln x\\ln y", "\\ln(x+y)", "\\ln x+\\ln y+10^{-12}"]],
  ["\\sin 2x", ["2\\sin x\\cos x"], ["2\\sin x", "\\sin x\\cos x", "\\sin 2x+10^{-12}"]],
  ["x^{1/2}", ["\\sqrt x"], ["x^{1/3}", "x^{-1/2}"]],
  ["a^{m+n}", ["a^m a^n"], ["a^{mn}", "a^m+a^n"]],
  ["10^{-15}x", ["x\\cdot 10^{-15}"], ["2\\cdot 10^{-15}x", "0"]],
];

describe.each([
  ["huge numbers", huge],
  ["constants", constants],
  ["whole numbers", whole],
  ["names", symbolic],
] as const)("%s", (_, rows) => {
  test.for(rows)("%s", ([gold, equal, different]) => {
    const judge = (answer: string): boolean => gradeMaths(`\\boxed{${answer}}`, gold, { bareGold: true }).correct;
    const back = (answer: string): boolean => gradeMaths(`\\boxed{${gold}}`, answer, { bareGold: true }).correct;
    expect([...equal, gold].filter((answer) => !judge(answer) || !back(answer))).toEqual([]);
    expect(different.filter((answer) => judge(answer) || back(answer))).toEqual([]);
  });
});

test("what no method can compare is undecided, and quickly", () => {
  for (const [gold, answer] of [
    ["2^{2^{2^{2^{2^{2}}}}}", "3^{2^{2^{2^{2^{2}}}}}"],
    ["e^{100000000}", "e^{100000001}"],
    ["\\sin(10^{50})", "\\sin(10^{50}+1)"],
    ["(10^6)!", "(10^6+1)!"],
  ] as const)
    expect(gradeMaths(`\\boxed{${answer}}`, gold, { bareGold: true })).toMatchObject({ correct: false });
});
