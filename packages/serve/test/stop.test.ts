import { once } from "node:events";
import type { AddressInfo } from "node:net";
import type { SampleRequest, SampleResult, Sampler, Tokenizer } from "@laconic/core";
import { tableTokenizer } from "@laconic/core/testing";
import { createInlineEngine, localPolicy } from "@laconic/engine";
import { createReferenceKernels } from "@laconic/engine/kernels/testing";
import { createCompletionServer } from "@laconic/serve";
import OpenAI from "openai";
import { expect, test } from "vitest";

const tokenizer: Tokenizer = tableTokenizer("abcdefgh");
const config = {
  model_type: "llama",
  vocab_size: tokenizer.vocabularySize,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  max_position_embeddings: 128,
  tie_word_embeddings: true,
  initializer_range: 0.2,
};

test("a stop text across tokens ends the request: no token behind it is drawn, sent or billed", async () => {
  const engine = await createInlineEngine([createReferenceKernels()]);
  const model = await engine.createModel({ kind: "config", config, seed: 1 });
  const drawn: SampleResult[] = [];
  const sampler: Sampler = {
    weightVersion: 0,
    forward: (sequences) => model.forward(sequences),
    async sample(requests: readonly SampleRequest[], onToken) {
      const results = await model.sample(requests, onToken);
      drawn.push(...results);
      return results;
    },
  };
  const server = createCompletionServer({
    models: [
      {
        name: "tiny",
        policy: localPolicy({ id: "tiny", sampler, tokenizer, batching: "continuous" }),
        tokenizer,
        contextLength: 128,
      },
    ],
    apiKey: null,
    maxConcurrency: 8,
    maxBodyBytes: 10_000,
    now: () => 0,
    onError: (error: unknown) => expect.fail(String(error)),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = new OpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "none", maxRetries: 0 });
  let stopped = 0;
  try {
    for (let seed = 0; seed < 20; seed++) {
      const asked = { model: "tiny", prompt: "abc", seed, max_tokens: 60 };
      const free = (await client.completions.create(asked)).choices[0]?.text ?? "";
      const stop = free.slice(4, 6);
      if (stop.length < 2) continue;
      stopped += 1;
      const text = free.slice(0, free.indexOf(stop));
      const { choices, usage } = await client.completions.create({ ...asked, stop });
      expect(choices[0]).toMatchObject({ text, finish_reason: "stop" });
      expect(usage?.completion_tokens).toBe(text.length + stop.length);
      expect(drawn.at(-1)?.tokens).toHaveLength(text.length + stop.length);
      let streamed = "";
      for await (const chunk of await client.completions.create({ ...asked, stop, stream: true }))
        streamed += chunk.choices[0]?.text ?? "";
      expect(streamed).toBe(text);
      expect(drawn.at(-1)?.tokens).toHaveLength(text.length + stop.length);
    }
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await engine.close();
  }
  expect(stopped).toBeGreaterThan(10);
});
