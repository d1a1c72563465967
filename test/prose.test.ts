import { describe, expect, test } from "vitest";
import { measure } from "./prose/measure.ts";
import { faultsOf } from "./prose/rules.ts";
import { commentsOf, messagesOf, pageTexts, titlesOf, type Text } from "./prose/texts.ts";
import pairs from "./prose/pairs.json" with { type: "json" };
import { repositoryFiles } from "./workspace.ts";

/** Max faults per 1,000 sentences, as measured. Lower them after corrections; `npm run -s prose -- PATH` lists faults. */
const budgets = { comment: 84, message: 66, title: 8, page: 36 };

test("the repository's English stays within its budgets (npm run -s prose -- PATH)", () => {
  const { kinds } = measure(repositoryFiles());
  for (const [kind, budget] of Object.entries(budgets)) {
    const { sentences, perThousand } = kinds[kind as keyof typeof budgets];
    expect(sentences, kind).toBeGreaterThan(1000);
    expect(perThousand, kind).toBeLessThanOrEqual(budget);
  }
});

const comment = (text: string, labelWords = 6): Text => ({ kind: "comment", line: 1, text, labelWords });
const rulesOf = (text: Text): readonly string[] => faultsOf(text).map(({ rule }) => rule);
const flagged = (column: 0 | 1): number =>
  pairs.filter((pair) => rulesOf(comment(pair[column] ?? "", 8)).length > 0).length / pairs.length;

test("flags at least 85 % of unclear sentences and at most 5 % of clear ones", () => {
  expect(flagged(0)).toBeGreaterThanOrEqual(0.85);
  expect(flagged(1)).toBeLessThanOrEqual(0.05);
});

describe("rules", () => {
  test.each([
    ["Of a minibatch the mean is taken.", ["opening"]],
    ["In a browser, the engine uses WebGPU.", []],
    ["For example, `wasm` needs only npm.", []],
    ["Largest gap of all log-probs over one minibatch", ["verb"]],
    ["A fleet samples a policy.", []],
    ["It waits.", ["pronoun"]],
    ["The queue waits. It is full.", []],
    ["Nobody reads it.", ["phrase"]],
    [`Reads ${"one ".repeat(20)}.`, ["length"]],
  ])("%s: %j", (sentence, rules) => {
    expect(rulesOf(comment(sentence))).toEqual(rules);
  });

  test("a label of a field may have eight words, a label of a table cell any number", () => {
    const label = "Largest gap of log-probs in a minibatch";
    expect(rulesOf(comment(label))).toEqual(["verb"]);
    expect(rulesOf(comment(label, 8))).toEqual([]);
  });
});

describe("texts", () => {
  test("comments are joined, and code, directives and tags are removed", () => {
    const source =
      "// first\n// half\nconst a = 1;\n/**\n * Sum.\n * ```ts\n * x\n * ```\n * @param a addend\n */\n/* v8 ignore next */\n";
    expect(commentsOf("a.ts", source).map(({ line, text }) => [line, text])).toEqual([
      [1, "first half"],
      [5, "Sum."],
      [9, "addend"],
    ]);
  });

  test("messages, titles and paragraphs have their lines", () => {
    expect(messagesOf('\nthrow new LaconicError("io", `the file ${path} is missing`);')).toEqual([
      { kind: "message", line: 2, text: "the file Name is missing", labelWords: Infinity },
    ]);
    const titles = titlesOf('describe("a team", () => {\n  test.each([1])("counts %i tokens", () => {});\n});');
    expect(titles.map(({ line, text, labelWords }) => [line, text, labelWords])).toEqual([
      [1, "a team", Infinity],
      [2, "counts Name tokens", 0],
    ]);
    expect(pageTexts("# A\n\nOne line\nand two.\n\n- item\n").map(({ line, text }) => [line, text])).toEqual([
      [1, "A"],
      [3, "One line\nand two."],
      [6, "item"],
    ]);
  });
});
