import { fileURLToPath } from "node:url";
import { openSplit, benchmarkNamed } from "@laconic/benchmarks";
import { randomFromSeed, type ChatMessage } from "@laconic/core";
import { askPython } from "@laconic/core/platform";
import { createLocalEngine } from "@laconic/engine";
import { wasmKernels } from "@laconic/engine/wasm";
import { loadTokenizer } from "@laconic/hub/tokenizers";
import { expect, test } from "vitest";
import { openModelFolder } from "../src/models/index.ts";

const script = fileURLToPath(new URL("./python/read_reasoner.py", import.meta.url));

interface Row {
  readonly prompt: readonly number[];
  readonly completion: readonly number[];
  readonly logProbs: readonly number[];
  readonly greedy: string;
}

test("transformers reads the shipped base: tokens, log-probs and greedy replies", async ({ skip }) => {
  const { folder } = await openModelFolder("reasoner", { note: () => undefined } as never);
  const { problems } = await openSplit(benchmarkNamed("steps/all-new"), { folder: "" });
  const lessons = problems.slice(0, 25).map(({ question, solution, gold }): [ChatMessage[], string] => {
    return [[{ role: "user", content: question }], `${solution}\n#### ${gold}`];
  });
  const outcome = await askPython<Row[]>(script, { folder, lessons });
  if ("missing" in outcome) return skip(outcome.missing);
  const tokenizer = await loadTokenizer(folder, {});
  const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
  const model = await engine.createModel({ kind: "folder", path: folder });
  for (const [i, [messages, reply]] of lessons.entries()) {
    const row = outcome.answer[i] as Row;
    const promptTokens = tokenizer.encodeChat(messages);
    expect(promptTokens).toEqual(row.prompt);
    expect([...tokenizer.encode(reply), tokenizer.endToken]).toEqual(row.completion);
    const { logProbs } = await model.forward([{ promptTokens, completionTokens: row.completion }]);
    // PyTorch's own float32 is 2e-4 off its float64 on this model.
    expect(logProbs.values).toBeAllclose(row.logProbs, { absolute: 1e-4, relative: 1e-4 });
    const sampling = { temperature: 0, maxTokens: 128 };
    const stopTokens = [tokenizer.endToken];
    const [sampled] = await model.sample([{ promptTokens, sampling, stopTokens, random: randomFromSeed(0).state() }]);
    expect(tokenizer.decode(sampled?.tokens ?? [])).toBe(row.greedy);
  }
  await engine.close();
});
