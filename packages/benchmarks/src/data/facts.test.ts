import { expect, test } from "vitest";
import { passagesOf } from "./facts.ts";
import rows from "./facts.cases.json" with { type: "json" };

const split = (text: string): { facts: string[]; asked: string } => {
  const passages = passagesOf(text);
  const of = (fact: boolean): string[] => passages.filter((each) => each.fact === fact).map((each) => each.text.trim());
  return { facts: of(true), asked: of(false).join(" ") };
};

test.each(rows)("$text", ({ text, facts, asked }) => {
  expect(split(text)).toEqual({ facts, asked });
});

test("a heading and an interjection are not separate facts", () => {
  const { facts } = split("Oh! Tom has 5 pens. Ann has 6. Well. How many?");
  expect(facts).toEqual(["Oh! Tom has 5 pens.", "Ann has 6. Well."]);
});
