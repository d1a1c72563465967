import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChatTokenizer, Engine, LanguageModel, TrainableModel } from "@laconic/core";
import { createInlineEngine, localPolicy } from "@laconic/engine";
import { createReferenceKernels } from "@laconic/engine/kernels/testing";
import { createCompletionServer, type CompletionServerOptions, type ServedModel } from "@laconic/serve";
import { afterAll } from "vitest";

/** One token per letter; 0 ends. */
const letters = " abcdefghijklmnopqrstuvwxyz.";
export const tokenizer: ChatTokenizer = {
  vocabularySize: letters.length + 1,
  endToken: 0,
  endTokens: [0],
  encode: (text) => Array.from(text.toLowerCase(), (letter) => 1 + Math.max(0, letters.indexOf(letter))),
  decode: (tokens) => tokens.map((token) => (token === 0 ? "" : (letters[token - 1] ?? "?"))).join(""),
  encodeChat(messages) {
    return this.encode(messages.map(({ role, content }) => `${role} ${content}.`).join(""));
  },
};
const config = {
  model_type: "llama",
  vocab_size: tokenizer.vocabularySize,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 64,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
  initializer_range: 0.2,
};

export interface TinyModel {
  readonly engine: Engine;
  readonly model: TrainableModel;
  readonly policy: LanguageModel;
}

export async function tinyModel(): Promise<TinyModel> {
  const engine = await createInlineEngine([createReferenceKernels()]);
  const model = await engine.createModel({ kind: "config", config, seed: 1 });
  return { engine, model, policy: localPolicy({ id: "tiny", sampler: model, tokenizer, batching: "continuous" }) };
}

export async function modelOfFile(): Promise<TinyModel> {
  const tiny = await tinyModel();
  afterAll(() => tiny.engine.close());
  return tiny;
}

export type ServerChange = Partial<ServedModel & CompletionServerOptions>;

/** Options of a server with one model. Default: 64 tokens of context, name `tiny`. */
export function serving(
  { policy, scorer, tools, name = "tiny", contextLength = 64, tokenizer: own = tokenizer, ...change }: ServerChange,
  onError: (error: unknown) => void,
): CompletionServerOptions {
  const model = { name, tokenizer: own, contextLength, ...(scorer && { scorer }), ...(tools && { tools }) };
  return {
    models: policy ? [{ ...model, policy }] : [],
    apiKey: null,
    maxConcurrency: 8,
    maxBodyBytes: 10_000,
    now: () => 1_700_000_000_000,
    onError,
    ...change,
  };
}

export async function startServer(
  change: ServerChange,
): Promise<{ readonly server: Server; readonly url: string; readonly errors: unknown[] }> {
  const errors: unknown[] = [];
  const server = createCompletionServer(serving(change, (error) => errors.push(error)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, errors };
}
