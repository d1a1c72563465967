import { expect, test } from "vitest";
import { findShapeMismatch, randomFromSeed } from "../index.ts";
import { maxPrice, sumKinds, tokenCost, tokenPriceShape, type TokenCounts, type TokenPrice } from "./index.ts";

const used = { promptTokens: 100, cachedTokens: 60, cacheWriteTokens: 10, completionTokens: 50, reasoningTokens: 40 };

test.each<[string, TokenPrice | null, Partial<TokenCounts>, number | null]>([
  ["rates of kinds default to the prompt's and the completion's", { prompt: 2, completion: 10 }, {}, 200 + 500],
  ["cached tokens have a rate", { prompt: 2, cached: 0.5, completion: 10 }, {}, 80 + 30 + 500],
  ["a rate of 0 is a rate", { prompt: 2, cached: 0, completion: 10 }, {}, 80 + 500],
  ["cache writes have a rate", { prompt: 2, cacheWrite: 2.5, completion: 10 }, {}, 180 + 25 + 500],
  ["reasoning has a rate", { prompt: 2, completion: 10, reasoning: 20 }, {}, 200 + 100 + 800],
  ["the server's cost counts where it is larger", { prompt: 2, completion: 10 }, { costUsd: 0.001 }, 1000],
  ["the tokens' price counts where it is larger", { prompt: 2, completion: 10 }, { costUsd: 0.0001 }, 700],
  ["the server's cost counts without a price", null, { costUsd: 0.001 }, 1000],
  ["without either the cost is unknown", null, {}, null],
])("%s", (_, price, more, micros) => {
  const cost = tokenCost(price, { ...used, ...more });
  expect(cost === null ? null : Math.round(cost * 1e9) / 1e3).toBe(micros);
});

test("on random counts, kinds cost at most the highest rates, and costs of calls add up", () => {
  const random = randomFromSeed(3);
  for (let i = 0; i < 500; i++) {
    const rate = (): number => random.integer(20) / 2;
    const price = { prompt: rate(), cached: rate(), cacheWrite: rate(), completion: rate(), reasoning: rate() };
    const calls = Array.from({ length: 3 }, () => {
      const [cachedTokens, cacheWriteTokens, reasoningTokens] = [0, 1, 2].map(() => random.integer(50)) as [
        number,
        number,
        number,
      ];
      const promptTokens = cachedTokens + cacheWriteTokens + random.integer(50);
      return {
        promptTokens,
        cachedTokens,
        cacheWriteTokens,
        completionTokens: reasoningTokens + random.integer(50),
        reasoningTokens,
      };
    });
    const sum = (of: (call: TokenCounts) => number): number => calls.reduce((total, call) => total + of(call), 0);
    const totals = {
      promptTokens: sum((call) => call.promptTokens),
      completionTokens: sum((call) => call.completionTokens),
    };
    const spent = sum((call) => tokenCost(price, call));
    expect(tokenCost(price, { ...totals, ...sumKinds(calls) })).toBeCloseTo(spent, 12);
    expect(spent).toBeLessThanOrEqual(tokenCost(maxPrice(price), totals) + 1e-12);
  }
});

test.each([
  { prompt: 1 },
  { prompt: 1, completion: -1 },
  { prompt: 1, completion: 2, cache: 1 },
  { prompt: "1", completion: 2 },
])("refuses the price %j", (price) => expect(findShapeMismatch(tokenPriceShape, price)).not.toBeNull());
