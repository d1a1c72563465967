import { expect, test } from "vitest";
import { numberOfWords, wordNumbersIn } from "./number-words.ts";

const numbers: Readonly<Record<string, string>> = {
  twelve: "12",
  "Seventy-two": "72",
  "minus seven": "-7",
  "negative one half": "-1/2",
  "two hundred and five": "205",
  "one million, two hundred thousand and one": "1200001",
  "nine hundred ninety-nine thousand nine hundred ninety-nine": "999999",
  "twelve hundred": "1200",
  "a hundred": "100",
  "a dozen": "12",
  "two dozen": "24",
  "half a dozen": "6",
  "a half": "1/2",
  "three quarters": "3/4",
  "two thirds": "2/3",
  "two and a half": "5/2",
  "one hundred and three fifths": "503/5",
  "three point one four": "3.14",
  zero: "0",
  "minus zero": "0",
};
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
