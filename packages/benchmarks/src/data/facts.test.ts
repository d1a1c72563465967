import { expect, test } from "vitest";
import { passagesOf } from "./facts.ts";

const split = (text: string): { facts: string[]; asked: string } => {
  const passages = passagesOf(text);
  const of = (fact: boolean): string[] => passages.filter((each) => each.fact === fact).map((each) => each.text.trim());
  return { facts: of(true), asked: of(false).join(" ") };
};

test.each([
  {
    text: "Weng earns $12 an hour for babysitting. Yesterday, she just did 50 minutes and 20 seconds of it. How much did she earn?",
    facts: ["Weng earns $12 an hour for babysitting.", "Yesterday, she just did 50 minutes and 20 seconds of it."],
    asked: "How much did she earn?",
  },
  {
    text: "A robe takes 2 bolts of blue fiber and half that much white fiber.  How many bolts in total does it take?",
    facts: ["A robe takes 2 bolts of blue fiber", "and half that much white fiber."],
    asked: "How many bolts in total does it take?",
  },
  {
    text: "If there are 60 minutes in an hour, and 24 hours in a day, how many minutes are there in a day?",
    facts: ["If there are 60 minutes in an hour,", "and 24 hours in a day,"],
    asked: "how many minutes are there in a day?",
  },
  {
    text: "Tom gets 4 car washes a month. If each car wash costs $15 how much does he pay in a year?",
    facts: ["Tom gets 4 car washes a month.", "If each car wash costs $15"],
    asked: "how much does he pay in a year?",
  },
  {
    text: "A vessel holds 2.5 litres at Rs. 4 each. In one week, it is filled 3 times. Find the cost.\nA) 10\nB) 30",
    facts: ["A vessel holds 2.5 litres at Rs. 4 each.", "In one week, it is filled 3 times."],
    asked: "Find the cost.\nA) 10\nB) 30",
  },
  {
    text: "On June 5, 2010 a lamp stood between 2 red poles and 3 blue poles. It fell. Why?",
    facts: ["On June 5, 2010 a lamp stood between 2 red poles and 3 blue poles.", "It fell."],
    asked: "Why?",
  },
  { text: "When water changes to steam, energy is", facts: [], asked: "When water changes to steam, energy is" },
  {
    text: "How many ways are there to climb 10 steps, when he can take one or two?",
    facts: [],
    asked: "How many ways are there to climb 10 steps, when he can take one or two?",
  },
  {
    text: 'Let $x = 1, 2$, and let y be 3. Determine $x + y$. [asy]draw((0,0)--(1,1)); label("A. B");[/asy]',
    facts: ["Let $x = 1, 2$,", "and let y be 3."],
    asked: 'Determine $x + y$. [asy]draw((0,0)--(1,1)); label("A. B");[/asy]',
  },
  {
    text: "Coins are light. Notes fold. ______ such as these are ______, which banks keep. They last.",
    facts: ["Coins are light.", "Notes fold."],
    asked: "______ such as these are ______, which banks keep. They last.",
  },
  { text: "", facts: [], asked: "" },
])("$text", ({ text, facts, asked }) => {
  expect(split(text)).toEqual({ facts, asked });
});

test("a heading and an interjection are not separate facts", () => {
  const { facts } = split("Oh! Tom has 5 pens. Ann has 6. Well. How many?");
  expect(facts).toEqual(["Oh! Tom has 5 pens.", "Ann has 6. Well."]);
});
