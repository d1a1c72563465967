import { LaconicError, randomFromSeed, type CompletionRequest, type SampleRequest, type Sampler } from "@laconic/core";
import { languageModelCases, tableTokenizer } from "@laconic/core/testing";
import { describe, expect, test } from "vitest";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import { config as tiny } from "../testing/cases/engine-case.ts";
import { createInlineEngine } from "./local-engine.ts";
import { localPolicy, repeatableBatching } from "./local-policy.ts";

const tokenizer = tableTokenizer("abcdefgh");
const config = { ...tiny, vocab_size: tokenizer.vocabularySize, max_position_embeddings: 64 };

describe("a local policy is a language model", () => {
  for (const item of languageModelCases({ kind: "text", text: "ab" }))
    test(item.name, () =>
      item.run(async () => {
        const engine = await createInlineEngine([createReferenceKernels()]);
        const sampler = await engine.createModel({ kind: "config", config, seed: 1 });
        return localPolicy({ id: "tiny", sampler, tokenizer });
      }),
    );
});

const request = (seed: number): CompletionRequest => ({
  prompt: { kind: "text", text: "a" },
  sampling: { temperature: 1, maxTokens: 3 },
  random: randomFromSeed(seed).state(),
});

function countingSampler(batches: number[]): Sampler {
  return {
    weightVersion: 7,
    forward: () => Promise.reject(new Error("not asked for")),
    sample: async (requests: readonly SampleRequest[]) => {
      batches.push(requests.length);
      return requests.map(({ promptTokens }) => ({
        promptTokens,
        tokens: [...promptTokens, tokenizer.endToken],
        logProbs: [-1, -1],
        finishReason: "stop",
      }));
    },
  };
}

test("sends the requests of one turn of the event loop as one batch", async () => {
  const batches: number[] = [];
  const policy = localPolicy({ id: "p", sampler: countingSampler(batches), tokenizer });
  const completions = await Promise.all([1, 2, 3].map((seed) => policy.complete(request(seed))));
  await policy.complete(request(4));
  expect(batches).toEqual([3, 1]);
  expect(completions[0]).toMatchObject({
    text: "a",
    model: { id: "p", weightVersion: 7 },
    usage: { completionTokens: 2 },
  });
});

test("requests join what is sampled at once where batching is continuous; in waves they wait and travel together", async () => {
  for (const batching of ["continuous", "waves"] as const) {
    const batches: number[] = [];
    let end = (): void => undefined;
    const inner = countingSampler(batches);
    const first = new Promise<void>((resolve) => (end = resolve));
    const sampler: Sampler = {
      ...inner,
      async sample(requests) {
        const results = await inner.sample(requests);
        if (batches.length === 1) await first;
        return results;
      },
    };
    const policy = localPolicy({ id: "p", sampler, tokenizer, batching });
    const slow = policy.complete(request(1));
    await new Promise((resolve) => setImmediate(resolve));
    const quick = [2, 3].map((seed) => policy.complete(request(seed)));
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(batches).toEqual(batching === "continuous" ? [1, 1, 1] : [1]);
    end();
    await Promise.all([slow, ...quick]);
    expect(batches).toEqual(batching === "continuous" ? [1, 1, 1] : [1, 2]);
  }
});

test("a run lets requests join at once where it repeats itself all the same, or never does", () => {
  const engine = { kind: "local", deterministic: true, batchInvariant: true } as const;
  expect(repeatableBatching(engine)).toBe("continuous");
  expect(repeatableBatching({ ...engine, batchInvariant: false })).toBe("waves");
  expect(repeatableBatching({ ...engine, batchInvariant: false, deterministic: false })).toBe("continuous");
  expect(repeatableBatching({ ...engine, kind: "remote" })).toBe("waves");
});

test("an aborted request leaves the batch, the others stay", async () => {
  const batches: number[] = [];
  const policy = localPolicy({ id: "p", sampler: countingSampler(batches), tokenizer });
  const controller = new AbortController();
  const aborted = policy.complete({ ...request(1), signal: controller.signal });
  const retained = policy.complete(request(2));
  controller.abort();
  await expect(aborted).rejects.toFailWith("aborted");
  expect((await retained).text).toBe("a");
  expect(batches).toEqual([1]);
});

test("a failing sampler rejects every request of the batch", async () => {
  const sampler = { ...countingSampler([]), sample: () => Promise.reject(new Error("device lost")) };
  const policy = localPolicy({ id: "p", sampler, tokenizer });
  const results = await Promise.allSettled([policy.complete(request(1)), policy.complete(request(2))]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("episodes that go on at different depths of promises still share batches", async () => {
  const batches: number[] = [];
  const policy = localPolicy({ id: "p", sampler: countingSampler(batches), tokenizer });
  const episode = async (seed: number): Promise<void> => {
    for (let turn = 0; turn < 3; turn++) {
      for (let depth = 0; depth < seed * 5; depth++) await Promise.resolve();
      if (seed === 3) await new Promise((resolve) => setImmediate(resolve));
      await policy.complete(request(seed));
    }
  };
  await Promise.all([0, 1, 2, 3].map(episode));
  expect(batches).toEqual([4, 4, 4]);
});

test("a request that the model cannot take fails alone", async () => {
  const engine = await createInlineEngine([createReferenceKernels()]);
  const sampler = await engine.createModel({ kind: "config", config, seed: 1 });
  const policy = localPolicy({ id: "tiny", sampler, tokenizer });
  const tokens = (...values: number[]): CompletionRequest => ({
    ...request(1),
    prompt: { kind: "tokens", tokens: values },
  });
  const results = await Promise.allSettled(
    [tokens(1), tokens(99), tokens(), tokens(1, 2)].map((completionRequest) => policy.complete(completionRequest)),
  );
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
  expect(
    results.map((result) => (result.status === "rejected" && LaconicError.is(result.reason) ? result.reason.code : "")),
  ).toEqual(["", "input_invalid", "input_invalid", ""]);
});

test("chat prompts are refused: there is no template", async () => {
  const policy = localPolicy({ id: "p", sampler: countingSampler([]), tokenizer });
  const chat: CompletionRequest = { ...request(1), prompt: { kind: "messages", messages: [] } };
  await expect(policy.complete(chat)).rejects.toFailWith("input_invalid");
});

test("text and trace are cut at a stop text that the sampler did not look for", async () => {
  const sampler: Sampler = {
    ...countingSampler([]),
    sample: async (requests) =>
      requests.map(({ promptTokens }) => ({
        promptTokens,
        tokens: tokenizer.encode("fadcb"),
        logProbs: [-1, -2, -3, -4, -5],
        finishReason: "length",
      })),
  };
  const policy = localPolicy({ id: "p", sampler, tokenizer });
  const { sampling } = request(1);
  const stopped = await policy.complete({ ...request(1), sampling: { ...sampling, stop: ["c", "dc", "", "zz"] } });
  expect(stopped).toMatchObject({ text: "fa", finishReason: "stop", usage: { completionTokens: 4 } });
  expect(stopped.trace).toMatchObject({ tokens: tokenizer.encode("fadc"), logProbs: [-1, -2, -3, -4] });
  expect(await policy.complete(request(1))).toMatchObject({ text: "fadcb", finishReason: "length" });
});
