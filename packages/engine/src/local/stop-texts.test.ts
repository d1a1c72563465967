import { randomFromSeed } from "@laconic/core";
import type { CompletionRequest, SampleRequest, Sampler, TokenBytes, Tokenizer } from "@laconic/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import { config as tiny } from "../testing/cases/engine-case.ts";
import { createInlineEngine } from "./local-engine.ts";
import { localPolicy } from "./local-policy.ts";

/** Byte-level, as BPE is: a character's bytes may lie in two tokens, and a stop text in several. */
const pieces = ["a", "b", "\n", "\n\n", "b\n", "\na", "ab", [0xe4], [0xbd, 0xa0], [0xbd], [0xa0], [0xe4, 0xbd]].map(
  (piece) => (typeof piece === "string" ? new TextEncoder().encode(piece) : Uint8Array.from(piece)),
);
const endToken = pieces.length;
const bytesOf = (tokens: readonly number[]): Uint8Array =>
  Uint8Array.from(tokens.flatMap((token) => Array.from(pieces[token] ?? [])));

function byteTokenizer(registry: boolean): Tokenizer {
  const offsets = new Int32Array(endToken + 2);
  pieces.forEach((piece, token) => (offsets[token + 1] = (offsets[token] as number) + piece.length));
  offsets[endToken + 1] = offsets[endToken] as number;
  const table: TokenBytes = { bytes: bytesOf([...pieces.keys()]), offsets, dropsFirstSpace: false };
  return {
    vocabularySize: endToken + 1,
    endToken,
    encode: (text) => Array.from(new TextEncoder().encode(text), (byte) => pieces.findIndex(([own]) => own === byte)),
    decode: (tokens) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(tokens)),
    ...(registry && { tokenBytes: () => table }),
  };
}

const tokenizer = byteTokenizer(true);
const config = { ...tiny, vocab_size: tokenizer.vocabularySize, max_position_embeddings: 128 };
const prompt = Array.from({ length: 24 }, (_, i) => i % 7);
const stops = ["b\n\n", "你", "\nb"];
const without = (request: CompletionRequest): CompletionRequest => {
  const { stop: _, ...sampling } = request.sampling;
  return { ...request, sampling };
};
const ask = (seed: number, change: Partial<CompletionRequest> = {}): CompletionRequest => ({
  prompt: { kind: "tokens", tokens: [...prompt, seed % 7] },
  sampling: { temperature: 1.5, maxTokens: 40, stop: stops },
  random: randomFromSeed(seed).state(),
  ...change,
});

/** The shortest beginning whose text holds a stop text; all where none does. */
function expected(tokens: readonly number[]): { readonly tokens: readonly number[]; readonly text: string } {
  const text = (count: number): string =>
    tokenizer.decode(tokens.slice(0, count).filter((token) => token !== endToken));
  for (let count = 1; count <= tokens.length; count++) {
    const matches = stops.map((stop) => text(count).indexOf(stop)).filter((index) => index >= 0);
    if (matches.length > 0) return { tokens: tokens.slice(0, count), text: text(count).slice(0, Math.min(...matches)) };
  }
  return { tokens, text: text(tokens.length) };
}

function watched(sampler: Sampler, requests: SampleRequest[]): Sampler {
  return {
    weightVersion: sampler.weightVersion,
    forward: (sequences) => sampler.forward(sequences),
    sample: (asked, onToken) => {
      requests.push(...asked);
      return sampler.sample(asked, onToken);
    },
  };
}

test.each([
  { batching: "waves", conversation: undefined },
  { batching: "continuous", conversation: undefined },
  { batching: "continuous", conversation: "kept" },
] as const)(
  "$batching, conversation $conversation: a reply ends with the token that completes a stop text",
  async (way) => {
    const engine = await createInlineEngine([createReferenceKernels()]);
    const model = await engine.createModel({ kind: "config", config, seed: 3 });
    const policy = localPolicy({ id: "p", sampler: model, tokenizer, batching: way.batching });
    const retained = way.conversation === undefined ? {} : { conversation: way.conversation };
    const heard = new Map<number, number[]>();
    const seeds = Array.from({ length: 60 }, (_, i) => i);
    const complete = (change: (request: CompletionRequest) => CompletionRequest): Promise<unknown[]> =>
      Promise.all(
        seeds.map((seed) =>
          policy.complete(
            change(
              ask(seed, { ...retained, onToken: ({ token }) => heard.set(seed, [...(heard.get(seed) ?? []), token]) }),
            ),
          ),
        ),
      );
    const whole = (await complete(without)) as Awaited<ReturnType<typeof policy.complete>>[];
    heard.clear();
    const ended = (await complete((request) => request)) as typeof whole;
    const cutShort = seeds.filter((seed) => {
      const [free, cut] = [whole[seed]?.trace, ended[seed]];
      const should = expected(free?.tokens ?? []);
      expect(cut?.trace?.tokens).toEqual(should.tokens);
      expect(cut?.text).toBe(should.text);
      expect(cut?.usage.completionTokens).toBe(should.tokens.length);
      expect(cut?.trace?.logProbs).toHaveLength(should.tokens.length);
      // Nothing was drawn behind the stop.
      expect(heard.get(seed)).toEqual(should.tokens);
      const shorter = should.tokens.length < (free?.tokens.length ?? 0);
      expect(cut?.finishReason).toBe(shorter ? "stop" : (cut?.finishReason ?? ""));
      return shorter;
    });
    expect(cutShort.length).toBeGreaterThan(20);
    // What is trained on are the very tokens and log-probs of the reply: a forward pass over them sees the same.
    const { logProbs } = await model.forward(
      seeds.map((seed) => ({
        promptTokens: ended[seed]?.trace?.promptTokens ?? [],
        completionTokens: ended[seed]?.trace?.tokens ?? [],
        temperature: 1.5,
      })),
    );
    seeds.forEach((seed) => {
      const own = Array.from(logProbs.values.slice(logProbs.offsets[seed], logProbs.offsets[seed + 1]));
      expect(own).toHaveLength(ended[seed]?.trace?.logProbs.length ?? -1);
      own.forEach((logProb, i) => expect(logProb).toBeCloseTo(ended[seed]?.trace?.logProbs[i] ?? Number.NaN, 8));
    });
    await engine.close();
  },
);

test("a reply with a stop text leaves the batch, the others go on", async () => {
  const engine = await createInlineEngine([createReferenceKernels()]);
  const model = await engine.createModel({ kind: "config", config, seed: 3 });
  const steps: number[][] = [];
  const counted: Sampler = {
    ...watched(model, []),
    sample: (asked, onToken) =>
      model.sample(asked, (index, drawn) => {
        (steps[index] ??= []).push(drawn.token);
        onToken?.(index, drawn);
      }),
  };
  const policy = localPolicy({ id: "p", sampler: counted, tokenizer });
  const seeds = Array.from({ length: 12 }, (_, i) => i);
  const replies = await Promise.all(seeds.map((seed) => policy.complete({ ...ask(seed), onToken: () => undefined })));
  expect(steps).toEqual(replies.map(({ trace }) => trace?.tokens));
  expect(new Set(replies.map(({ trace }) => trace?.tokens.length)).size).toBeGreaterThan(3);
  await engine.close();
});

function fixedSampler(tokens: readonly number[]): Sampler {
  return {
    weightVersion: 0,
    forward: () => Promise.reject(new Error("not asked for")),
    sample: async (requests) =>
      requests.map(({ promptTokens }) => ({
        promptTokens,
        tokens,
        logProbs: tokens.map((_, i) => -1 - i),
        atOne: tokens.map((_, i) => ({ logProb: -2 - i, top: [] })),
        finishReason: "length",
      })),
  };
}

test("a sampler that knows no stop texts is cut to the same reply", async () => {
  const tokens = fc.array(fc.integer({ min: 0, max: endToken }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(tokens, fc.boolean(), async (drawn, registry) => {
      const policy = localPolicy({ id: "p", sampler: fixedSampler(drawn), tokenizer: byteTokenizer(registry) });
      const reply = await policy.complete(ask(1));
      const should = expected(drawn);
      expect(reply).toMatchObject({ text: should.text, usage: { completionTokens: should.tokens.length } });
      expect(reply.trace).toMatchObject({
        tokens: should.tokens,
        logProbs: should.tokens.map((_, i) => -1 - i),
        atOne: should.tokens.map((_, i) => ({ logProb: -2 - i, top: [] })),
      });
    }),
    { seed: 1, numRuns: 300 },
  );
});

test("a first space that the text does not have completes no stop text", async () => {
  const requests: SampleRequest[] = [];
  const spaced: Tokenizer = {
    ...tokenizer,
    decode: (tokens) =>
      tokens
        .map((token) => (token === 0 ? " x" : ""))
        .join("")
        .trimStart(),
    tokenBytes: () => ({
      bytes: new TextEncoder().encode(" x"),
      offsets: Int32Array.from({ length: endToken + 2 }, (_, i) => (i === 0 ? 0 : 2)),
      dropsFirstSpace: true,
    }),
  };
  const engine = await createInlineEngine([createReferenceKernels()]);
  const model = await engine.createModel({ kind: "config", config, seed: 3 });
  const policy = localPolicy({ id: "p", sampler: watched(model, requests), tokenizer: spaced });
  for (let seed = 0; seed < 20; seed++) {
    const { text, finishReason, trace } = await policy.complete({
      ...ask(seed),
      sampling: { temperature: 1, maxTokens: 40, stop: [" x"] },
    });
    const spacedTokens = trace?.tokens.filter((token) => token === 0).length ?? 0;
    expect(text).toBe(spacedTokens === 0 ? "" : "x");
    // Two of them are " x x" but for the first space: the second completes the stop text.
    const atStopText = finishReason === "stop" && trace?.tokens.at(-1) !== endToken;
    expect(spacedTokens).toBe(atStopText ? 2 : Math.min(spacedTokens, 1));
  }
  await engine.close();
});

test("a text prompt begins as its checkpoint's texts do; token prompts are unchanged", async () => {
  const asked: SampleRequest[] = [];
  const policy = localPolicy({
    id: "p",
    sampler: watched(fixedSampler([0]), asked),
    tokenizer: { ...tokenizer, encodePrompt: (text) => [endToken, ...tokenizer.encode(text)] },
  });
  await policy.complete({ ...ask(1), prompt: { kind: "text", text: "ab" } });
  await policy.complete({ ...ask(1), prompt: { kind: "tokens", tokens: [1] } });
  expect(asked.map(({ promptTokens }) => promptTokens)).toEqual([[endToken, 0, 1], [1]]);
});
