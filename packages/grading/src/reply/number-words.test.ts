import { expect, test } from "vitest";
import { numberOfWords, wordNumbersIn } from "./number-words.ts";
import rows from "./number-words-numbers.json" with { type: "json" };

const numbers: Readonly<Record<string, string>> = rows;
const others =
  "|dozen|hundred|third|twenty-fifth|two third|twelve eggs|nineteen ninety|two hundred and|and five|one two|seventy eleven|" +
  "two thousand three thousand|constructor";

test.each(Object.entries(numbers))("%j is %s", (phrase, value) => {
  expect(numberOfWords(phrase)).toBe(value);
});

test.each(others.split("|"))("%j is not completely a number", (phrase) => {
  expect(numberOfWords(phrase)).toBeNull();
});

test("a text has its numbers in words, without pronouns", () => {
  expect(wordNumbersIn("One of us has twelve or a hundred and one, five and six").map(({ value }) => value)).toEqual([
    "12",
    "101",
    "5",
    "6",
  ]);
});
