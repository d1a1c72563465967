import { questionKey } from "@laconic/core";
import { expect, test } from "vitest";
import { refusals, saved as file } from "../../test/own-data.ts";
import type { DataSettings } from "./data-settings.ts";
import { openData, type OpenedData } from "./open-data.ts";

const saved = (rows: readonly object[]): Promise<string> =>
  file("rows.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"));

const sum = (i: number): { question: string; gold: string } => ({ question: `What is ${i} + 1?`, gold: String(i + 1) });
const sums = (count: number): { question: string; gold: string }[] => Array.from({ length: count }, (_, i) => sum(i));
const questions = ({ testProblems }: OpenedData): string[] => testProblems.map(({ question }) => question).toSorted();
const shared = (train: string, share = 0.2, seed?: number): DataSettings => ({
  train,
  testProblems: { share, ...(seed !== undefined && { seed }) },
  grading: "numeric",
});

test("a share is split off by seed, whatever the order of the rows", async () => {
  const [ordered, reversed] = [await saved(sums(100)), await saved(sums(100).toReversed())];
  const data = await openData(shared(ordered));
  expect([data.train.length, data.testProblems.length]).toEqual([80, 20]);
  expect(data.answer).toEqual({ kind: "numeric" });
  expect(questions(await openData(shared(reversed)))).toEqual(questions(data));
  expect(questions(await openData(shared(ordered, 0.2, 1)))).not.toEqual(questions(data));
  // A question stays where it is when others are added: of 20 at most those that the longer list moves over the edge.
  const more = new Set((await openData(shared(await saved(sums(110))))).testProblems.map(({ question }) => question));
  expect(questions(data).filter((question) => more.has(question)).length).toBeGreaterThan(14);
});

test("duplicates of a question stay on one side", async () => {
  const rows = sums(40).flatMap((row, i) =>
    Array.from({ length: 1 + (i % 4) }, (_, n) => ({
      ...row,
      question: n % 2 === 0 ? row.question : `  ${row.question.toUpperCase()} `,
    })),
  );
  for (const seed of [0, 1, 2, 3, 4]) {
    const { train, testProblems } = await openData(shared(await saved(rows), 0.3, seed));
    expect(train.length + testProblems.length).toBe(100);
    expect(Math.abs(testProblems.length - 30)).toBeLessThan(4);
    const learned = new Set(train.map((problem) => questionKey(problem)));
    expect(testProblems.filter((problem) => learned.has(questionKey(problem)))).toEqual([]);
  }
});

test("a share that leaves one side empty is refused", async () => {
  const same = Array.from({ length: 9 }, () => sum(1));
  await expect(openData(shared(await saved(same)))).rejects.toThrow(
    "a share of 0.2 of 9 rows, 1 different questions, leaves nothing to learn on",
  );
  await expect(openData(shared(await saved(sums(2)), 0.1))).rejects.toThrow("leaves nothing to measure with");
});

test("a training row that repeats a test question is rejected with both places, or skipped and listed", async () => {
  const train = await saved([...sums(4), { question: "what is  7 + 1?", gold: "8" }]);
  const testProblems = await saved([sum(9), sum(7)]);
  const settings: DataSettings = { train, testProblems, grading: "numeric" };
  await expect(openData(settings)).rejects.toMatchObject({
    code: "data_invalid",
    message: `${train} row 5: asks what ${testProblems} row 2 asks, which is kept for the test: training and test overlap; mode lenient leaves such rows out of training`,
    detail: { file: train, row: 5, refused: 1 },
  });
  const data = await openData({ ...settings, mode: "lenient" });
  expect(data.train.map(({ id }) => id)).toEqual(["train/1", "train/2", "train/3", "train/4"]);
  expect(data.testProblems.map(({ id }) => id)).toEqual(["test/1", "test/2"]);
  expect(data.refused).toEqual([
    { file: train, row: 5, reason: expect.stringContaining("is kept for the test") as string },
  ]);
  const ids = await saved([{ id: 1, ...sum(1) }]);
  await expect(
    openData({ ...settings, train: ids, testProblems: await saved([{ id: 1, ...sum(2) }]) }),
  ).rejects.toThrow(/row 1: the id 1 is that of .* row 1, which is kept for the test/u);
});

test("the letters in a team's prompt are those of the longest option list", async () => {
  const rows = [
    { question: "a", choices: ["x", "y"], gold: "A" },
    { question: "b", choices: ["x", "y", "z"], gold: "C" },
  ];
  const { answer } = await openData({ ...shared(await saved(rows), 0.5), grading: "letter" });
  expect(answer).toEqual({ kind: "letter", letters: "ABC" });
});

test.each(refusals.settings)("%j is refused", async (settings, reason) => {
  await expect(openData(settings as DataSettings)).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringContaining(reason) as string,
  });
});
