import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { WrittenTexts } from "./quotations.ts";

const words = (seed: string, count: number): string => {
  const random = randomFromSeed(seed);
  return Array.from({ length: count }, () => `w${random.integer(1e6)}`).join(" ");
};

test("counts whole and partial quotations per author, each character once", () => {
  const texts = new WrittenTexts<string>();
  const [plan, review] = [words("plan", 40), words("review", 30)];
  texts.add("planner", plan);
  texts.add("critic", review);
  const half = plan.split(" ").slice(10, 30).join(" ");
  const prompt = `${words("question", 20)}\n\nPlan:\n${half}\n\nReview: ${review.replaceAll(" ", "\n")}`;
  expect(texts.quotesIn([prompt])).toEqual([
    { author: "planner", characters: half.length },
    { author: "critic", characters: review.length },
  ]);
  expect(texts.quotesIn([words("other", 200)])).toEqual([]);
});

test("a short reply is found as a whole, and short words prove nothing", () => {
  const texts = new WrittenTexts<string>();
  texts.add("a", "Paris, France 1998");
  texts.add("b", "yes");
  expect(texts.quotesIn(["They said: Paris, France 1998 and yes"])).toEqual([{ author: "a", characters: 18 }]);
  expect(texts.quotesIn(["Paris is in France; yes"])).toEqual([]);
});
