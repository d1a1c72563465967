import fc from "fast-check";
import { expect, test } from "vitest";
import { sentencesOf } from "./sentences.ts";
import rows from "./sentences.cases.json" with { type: "json" };

const cut = (text: string): string[] => sentencesOf(text).map(({ start, end }) => text.slice(start, end));

test.each(rows)("%j is not cut", (text) => {
  expect(cut(text)).toEqual([text]);
});

test.each([
  [["It costs $5. ", "Ann has $3. ", "Who pays?"]],
  [["She invited 24 people. ", "8 people could not come."]],
  [["He left at 5 p.m. ", "The shop closed at 6 p.m. ", "How long?"]],
  [["The train is 2.5 m long. ", "It has no. 7."]],
  [["Let $x = 1.$ ", "Find $y.$"]],
  [["Is it $x$? ", "Yes!  ", "So be it."]],
])("%j are so many sentences", (sentences) => {
  expect(cut(sentences.join(""))).toEqual(sentences);
});

test("any text is covered without gaps", () => {
  const piece = fc.constantFrom("It has $5. ", "Rs. ", "(", ")", "$", "\\[", "\\]", " \n", "End", "3.5 m. ", "{", "? ");
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.array(piece).map((group) => group.join("")),
      ),
      (text) => {
        expect(cut(text).join("")).toBe(text);
      },
    ),
    { seed: 2, numRuns: 500 },
  );
});
