import fc from "fast-check";
import { expect, test } from "vitest";
import { sentencesOf } from "./sentences.ts";

const cut = (text: string): string[] => sentencesOf(text).map(({ start, end }) => text.slice(start, end));

// Each is one sentence.
test.each([
  "A man buys a cycle for Rs. 1400 Only.",
  "He paid Rs.500 to Dr. Smith and Mr. Jones.",
  "No. 5 is taken, e.g. Anna's, i.e. hers.",
  "The boat sails at 2.5 km/hr from 7:30 a.m. until 10.45 p.m. daily.",
  "The U.S. Army bought 3.75 tons vs. Canada's 4.",
  "Let $f(x) = 2. X$ be a line.",
  "Let \\(y = \\text{A. B.}\\) and \\[z = 1. W\\] hold.",
  "They (Tom. Ann. Bob.) sing.",
  "Find the minimum of\n\\[x^2 + 1\\] there.",
  "The bag held 18. 5 milligrams of it.",
  "1. Add it.",
  "J. K. Rowling wrote it.",
  '"Who?" he asked.',
])("%j is not cut", (text) => {
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
