import { expect, test } from "vitest";
import { numberOfWords } from "./number-words.ts";

test.each([
  ["twelve", "12"],
  ["Seventy-two", "72"],
  ["minus seven", "-7"],
  ["negative one half", "-1/2"],
  ["two hundred and five", "205"],
  ["one million, two hundred thousand and one", "1200001"],
  ["nine hundred ninety-nine thousand nine hundred ninety-nine", "999999"],
  ["twelve hundred", "1200"],
  ["a hundred", "100"],
  ["a dozen", "12"],
  ["two dozen", "24"],
  ["half a dozen", "6"],
  ["a half", "1/2"],
  ["three quarters", "3/4"],
  ["two thirds", "2/3"],
  ["two and a half", "5/2"],
  ["one hundred and three fifths", "503/5"],
  ["three point one four", "3.14"],
  ["zero", "0"],
  ["minus zero", "0"],
  ...(["", "dozen", "hundred", "third", "twenty-fifth", "two third", "twelve eggs", "nineteen ninety"] as const).map(
    (phrase) => [phrase, null] as const,
  ),
  ...(
    ["two hundred and", "and five", "one two", "seventy eleven", "two thousand three thousand", "constructor"] as const
  ).map((phrase) => [phrase, null] as const),
])("%j is %j", (phrase, value) => {
  expect(numberOfWords(phrase)).toBe(value);
});
