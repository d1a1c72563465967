import { randomFromSeed } from "@laconic/core";
import { encoding_for_model as encodingFor } from "tiktoken";
import { expect, test } from "vitest";
import { countTokens } from "./tokens.ts";

const words = ["the", "sum", "is", "12345", "\n\n", "  ", "$x^2$", "don't", "数学", "😀", "=", "(a),"] as const;

test.for(["gpt-4o-mini", "gpt-4", "gpt-3.5-turbo"] as const)(
  "%s: texts of words have the encoder's count, however long",
  async (model) => {
    const [encoder, random] = [encodingFor(model), randomFromSeed(model)];
    for (let i = 0; i < 12; i++) {
      const text = Array.from({ length: random.integer(1500) }, () => random.pick(words)).join(" ");
      expect(await countTokens(model, text)).toBe(encoder.encode_ordinary(text).length);
    }
    encoder.free();
  },
);

test("counts long runs in pieces, never below the encoder; rejects longer texts", async () => {
  // The encoder alone counts 12,500 in half a minute.
  const count = await countTokens("gpt-4o-mini", "a".repeat(100_000));
  expect(count).toBeGreaterThanOrEqual(12_500);
  expect(count).toBeLessThan(13_200);
  expect(await countTokens("gpt-4o-mini", "😀".repeat(2000))).toBeGreaterThanOrEqual(2000);
  expect(await countTokens("gpt-4o-mini", "a ".repeat(150_000))).toBeNull();
  expect(await countTokens("no-such-model", "a")).toBeNull();
});
