import type { Problem } from "@laconic/core";
import { expect, test } from "vitest";
import { extractRelayAnswer, relayGrader } from "./grader.ts";

const problem: Problem = { id: "p", question: "k+e", gold: "15" };

test.each(["15", "it is 15", "the answer is 15", " 15 ", "15 it is"])("%j is right", (reply) => {
  expect(relayGrader(reply, problem)).toBe(1);
});

test.each([
  ["another number", "16"],
  ["several guesses", "15 16 17"],
  ["the same guess twice", "15 15"],
  ["the calculation", "6+9 15"],
  ["a range", "0123456789 15"],
  ["digits apart", "1 5"],
  ["digits together", "1516"],
  ["a leading zero", "015"],
  ["a sign", "+15"],
  ["a minus sign", "-15"],
  ["a typographic minus", "\u221215"],
  ["a fraction", "15.5"],
  ["a decimal that equals it", "15.0"],
  ["letters glued on", "x15"],
  ["a unit glued on", "15k"],
  ["a second guess in other digits", "15 \u0661\u0666"],
  ["the answer in other digits", "\uff11\uff15"],
  ["a guess behind a line break", "15\n16"],
  ["no number", "the answer is"],
  ["nothing", ""],
])("%s is wrong", (_, reply) => {
  expect(relayGrader(reply, problem)).toBe(0);
});

test("no answer is wrong", () => {
  expect(relayGrader(null, problem)).toBe(0);
});

test("zero is an answer, and no reply is right for two problems", () => {
  expect(relayGrader("0", { ...problem, gold: "0" })).toBe(1);
  const sums = Array.from({ length: 19 }, (_, sum) => String(sum));
  for (const reply of [...sums, "15 16", "the answer is 7", sums.join(" "), sums.join("")])
    expect(sums.filter((gold) => relayGrader(reply, { ...problem, gold }) === 1).length).toBeLessThanOrEqual(1);
  expect(extractRelayAnswer("it is 7")).toBe("7");
});
