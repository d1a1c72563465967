import type { SampleResult, Sampler } from "@laconic/core";
import { localPolicy } from "@laconic/engine";
import { closeServer } from "@laconic/serve";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { startServer, tinyModel, tokenizer } from "./tiny-server.ts";

test("a stop text across tokens ends the request without later tokens drawn, sent or billed", async () => {
  const { engine, model } = await tinyModel();
  const drawn: SampleResult[] = [];
  const sampler: Sampler = {
    weightVersion: 0,
    forward: (sequences) => model.forward(sequences),
    async sample(requests, onToken) {
      const results = await model.sample(requests, onToken);
      drawn.push(...results);
      return results;
    },
  };
  const policy = localPolicy({ id: "tiny", sampler, tokenizer, batching: "continuous" });
  const { server, url, errors } = await startServer({ policy });
  onTestFinished(async () => {
    await closeServer(server, 0);
    await engine.close();
  });
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
  let stopped = 0;
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
  expect(stopped).toBeGreaterThan(10);
  expect(errors).toEqual([]);
});
