// Bytes on the wire of `@laconic/tinker`, requests and replies, by path: 32 sequences of 64 + 64 tokens, sampled, stepped on once. Against the
// test server; what a server writes beside log-probs comes on top. `npx tsx bench/archive/tinker-wire.ts`
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFromSeed } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { wasmKernels } from "@laconic/kernels-wasm";
import { TinkerClient, tinkerEngine, type ServerRecord } from "@laconic/tinker";
import { startTinkerServer } from "@laconic/tinker/testing";
import { machine, print } from "../src/measure.ts";

// As many tokens as Qwen3 has, so that ids have as many digits; one layer, since its numbers do not matter.
const [vocabularySize, promptLength, replyLength, count] = [151_936, 64, 64, 32];
const config = {
  model_type: "llama",
  vocab_size: vocabularySize,
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 2,
  intermediate_size: 16,
  max_position_embeddings: 256,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  initializer_range: 0.5,
};
const local = await createLocalEngine({ device: wasmKernels(), workers: 1 });
const folder = await mkdtemp(join(tmpdir(), "laconic-wire-"));
const server = await startTinkerServer({
  engine: local,
  bases: { base: { kind: "config", config, seed: 1 } },
  folder,
  holdMs: 60_000,
});
const bytes = new Map<string, number>();
const counted: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const body = await response.arrayBuffer();
  const asked = typeof init?.body === "string" ? init.body : "";
  // A result comes by another path than its request went.
  const path = new URL(input).pathname.split("/").at(-1) ?? "";
  const what = path === "retrieve_future" ? kindOf(new TextDecoder().decode(body)) : path;
  bytes.set(what, (bytes.get(what) ?? 0) + asked.length + body.byteLength);
  return new Response(body, { status: response.status, headers: response.headers });
};
const client = await TinkerClient.connect({ baseUrl: server.url, fetch: counted });
const record: ServerRecord = {
  baseModel: "base",
  contextLength: 256,
  reduction: { sequences: "sum", positions: "sum" },
  deduplicates: true,
  promptLogProbs: "null-first",
  sampledAt: "sampling",
  samplers: "frozen",
  gradNorm: null,
  optimizer: "asked",
  clips: false,
  clipsItself: false,
  severalModels: true,
};
const engine = tinkerEngine({ client, record, vocabularySize });
const model = await engine.createModel({
  kind: "adapter",
  base: { kind: "folder", path: "base" },
  lora: { rank: 4, alpha: 32 },
  seed: 1,
});
const random = randomFromSeed("wire");
const prompts = Array.from({ length: count }, () =>
  Array.from({ length: promptLength }, () => random.integer(vocabularySize)),
);
bytes.clear();
const replies = await model.sample(
  prompts.map((promptTokens, i) => ({
    promptTokens,
    sampling: { temperature: 1, maxTokens: replyLength },
    stopTokens: [],
    random: randomFromSeed(i).state(),
  })),
);
await model.forwardBackward(
  replies.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens })),
  ({ values }) => values.map((value) => value / 100),
);
await model.optimStep({
  learningRate: 1e-5,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  maxGradNorm: Infinity,
});
const tokens = count * (promptLength + replyLength);
const perToken = Object.fromEntries([...bytes].map(([what, size]) => [what, Math.round((10 * size) / tokens) / 10]));
print("tinker-wire", { tokens, bytes: Object.fromEntries(bytes), perToken, ...machine() });
await engine.close();
await server.close();
await local.close();

function kindOf(reply: string): string {
  if (reply.includes('"sequences"')) return "asample's result";
  return reply.includes('"loss_fn_outputs"') ? "a pass's result" : "other results";
}
