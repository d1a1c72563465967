import { expect, test } from "vitest";
import { cuesIn } from "./answer-cues.ts";
import rows from "./answer-cues.cases.json" with { type: "json" };

const marked = (text: string, also?: "choosing" | "result"): string =>
  cuesIn(text, also)
    .toReversed()
    .reduce((rest, { end }) => `${rest.slice(0, end)}|${rest.slice(end)}`, text);

test.each(rows)("an answer may begin at the bar in %j", (text) => {
  expect(marked(text.replaceAll("|", ""))).toBe(text);
});

test.each([
  ["So, the correct statement is |B.", "choosing"],
  ["I choose |B. 选项|A错误,因此选|C", "choosing"],
  ["Option |B fails", "choosing"],
  ["Das Ergebnis beträgt |3,5", "result"],
] as const)("%j has the cues of %s", (text, also) => {
  expect(marked(text.replaceAll("|", ""), also)).toBe(text);
});
