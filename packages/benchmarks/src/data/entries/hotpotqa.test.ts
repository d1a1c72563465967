import { expect, test } from "vitest";
import { readRow } from "../row-schema.ts";
import { hotpotqa } from "./hotpotqa.ts";

const row = {
  _id: "5a7",
  question: "Where was the founder of Acme born?",
  answer: "Rome",
  type: "bridge",
  level: "hard",
  supporting_facts: [["Acme", 0]],
  context: [
    ["Acme", ["Acme is a firm.", " Ann founded it."]],
    ["Ann", ["Ann was born in Rome."]],
  ],
};

test("paragraphs come before the question, in the layouts of the authors and of the hub", () => {
  const expected = {
    problem: {
      id: "hotpotqa/5a7",
      question:
        "Acme: Acme is a firm. Ann founded it.\n\nAnn: Ann was born in Rome.\n\nWhere was the founder of Acme born?",
      gold: "Rome",
      grading: { kind: "text", words: true },
      metadata: { type: "bridge", level: "hard" },
    },
  };
  expect(readRow(hotpotqa.row, row)).toEqual(expected);
  const { _id: id, context, ...rest } = row;
  const columns = { title: context.map(([title]) => title), sentences: context.map(([, said]) => said) };
  expect(readRow(hotpotqa.row, { ...rest, id, context: columns })).toEqual(expected);
  const short = { ...columns, sentences: columns.sentences.slice(1) };
  expect(readRow(hotpotqa.row, { ...rest, id, context: short })).toMatchObject({
    reason: expect.stringContaining("context: 1: 1: ") as string,
  });
});

test.for([
  [{ answer: " " }, "answer: "],
  [{ context: [] }, "context: "],
  [{ context: [["Acme", "one text"]] }, "context"],
] as const)("%j is refused by its key", ([change, reason]) => {
  expect(readRow(hotpotqa.row, { ...row, ...change })).toMatchObject({
    reason: expect.stringContaining(reason) as string,
  });
});
