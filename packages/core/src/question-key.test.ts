import { expect, test } from "vitest";
import { questionKey } from "./problem.ts";

const same = (a: Parameters<typeof questionKey>[0], b: Parameters<typeof questionKey>[0]): boolean =>
  questionKey(a) === questionKey(b);

test("case, width and white space do not count", () => {
  expect(same({ question: "How  many\neggs? " }, { question: "how many eggs?" })).toBe(true);
  expect(same({ question: "１２ eggs" }, { question: "12 eggs" })).toBe(true);
});

test("the order of options does not matter; signs, views and options do", () => {
  expect(same({ question: "2 + 3" }, { question: "2 - 3" })).toBe(false);
  expect(same({ question: "?", views: { a: "k6", b: "m3" } }, { question: "?", views: { b: "m3", a: "k6" } })).toBe(
    true,
  );
  expect(same({ question: "?", views: { a: "k6" } }, { question: "?", views: { a: "k7" } })).toBe(false);
  expect(same({ question: "?", choices: ["1", "2"] }, { question: "?", choices: ["2", "1"] })).toBe(true);
  expect(same({ question: "?", choices: ["1", "2"] }, { question: "?", choices: ["1", "3"] })).toBe(false);
});
