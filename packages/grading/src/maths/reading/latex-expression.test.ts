import { expect, test } from "vitest";
import { normaliseLatex } from "./normalise.ts";
import { parseLatex } from "./latex-expression.ts";

test.for([
  ["2\\frac13", ["Add", 2, ["Divide", 1, 3]]],
  ["2(\\frac13)", ["Multiply", 2, ["Divide", 1, 3]]],
  ["\\frac12", ["Divide", 1, 2]],
  ["\\frac{12}3", ["Divide", 12, 3]],
  ["x^23", ["Multiply", ["Power", "x", 2], 3]],
  ["-x^2", ["Negate", ["Power", "x", 2]]],
  ["x^{-1}", ["Power", "x", ["Negate", 1]]],
  ["2^{3^2}", ["Power", 2, ["Power", 3, 2]]],
  ["x_1^2", ["Power", "x_1", 2]],
  ["v^2_0", ["Power", "v_0", 2]],
  ["\\lambda_{\\text{red}}", "lambda_red"],
  ["1/2x", ["Multiply", ["Divide", 1, 2], "x"]],
  ["a-b-c", ["Add", "a", ["Negate", "b"], ["Negate", "c"]]],
  ["\\sin^2 x\\cos x", ["Multiply", ["Power", ["Sin", "x"], 2], ["Cos", "x"]]],
  ["\\sin^{-1} x", ["Arcsin", "x"]],
  ["\\sin 2x+1", ["Add", ["Sin", ["Multiply", 2, "x"]], 1]],
  ["\\log_2 8", ["Log", 8, 2]],
  ["\\log_{b}(x+1)", ["Log", ["Add", "x", 1], "b"]],
  ["\\exp(2)x", ["Multiply", ["Power", "e", 2], "x"]],
  ["\\sqrt[3]{x}", ["Root", "x", 3]],
  ["\\sqrt2x", ["Multiply", ["Root", 2, 2], "x"]],
  ["|x-1||y|", ["Multiply", ["Abs", ["Add", "x", ["Negate", 1]]], ["Abs", "y"]]],
  ["||x|-1|", ["Abs", ["Add", ["Abs", "x"], ["Negate", 1]]]],
  ["n!", ["Factorial", "n"]],
  ["2^3!", ["Factorial", ["Power", 2, 3]]],
  ["\\binom n2", ["Binomial", "n", 2]],
  ["{n \\choose k}", ["Binomial", "n", "k"]],
  ["\\gcd(48,180)", ["GCD", 48, 180]],
  ["7^{100}\\bmod 13", ["Mod", ["Power", 7, 100], 13]],
  ["2n\\bmod 3", ["Mod", ["Multiply", 2, "n"], 3]],
  ["\\lfloor\\frac n2\\rfloor", ["Floor", ["Divide", "n", 2]]],
  ["2\\cdot 10^{-15}x", ["Multiply", 2, ["Multiply", ["Power", 10, ["Negate", 15]], "x"]]],
  ["12345678901234567890", { num: "12345678901234567890" }],
  ["8.7e8", 870_000_000],
  ["\\zzz", "zzz"],
] as const)("%s", ([latex, json]) => {
  expect(parseLatex(latex)).toEqual(json);
});

test.for([
  "",
  "1+",
  "2\\cdot",
  "\\frac1",
  "\\frac{1}{}",
  "(1",
  "1)",
  "{",
  "x^",
  "x^^2",
  "\\sqrt",
  "|x",
  "\\left",
  "=",
  "1,2",
  "\\gcd 4",
  "\\rfloor",
  "a&b",
  "\ud800",
])("%j is malformed", (latex) => expect(parseLatex(latex)).toBeNull());

test("deep nesting is malformed, whatever nests", () => {
  for (const piece of ["|", "\\sqrt", "(", "{", "\\sin", "\\frac", "\\sum"])
    expect(parseLatex(piece.repeat(2500))).toBeNull();
  for (const piece of ["!", "'", "/2", "^2", "\\bmod 2"]) expect(parseLatex(`x${piece.repeat(1500)}`)).toBeNull();
  expect(parseLatex(`${"-".repeat(2501)}x`)).toEqual(["Negate", "x"]);
});

test.each([
  ["1,234\\pi", "1234\\pi"],
  ["x=10,080,y=5", "x=10080,y=5"],
  ["\\frac{1,000}{3}", "\\frac{1000}{3}"],
  ["(1,234)", "(1,234)"],
  ["\\{1,234\\}", "\\{1,234\\}"],
  ["]1,100[", "]1,100["],
  ["1,100,5", "1,100,5"],
  ["x, 1,200", "x, 1,200"],
])("thousands in %s", (latex, plain) => expect(normaliseLatex(latex)).toBe(plain));
