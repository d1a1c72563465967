import { afterEach, expect, test } from "vitest";
import { datum, jsonCodec, protobufCodec } from "@laconic/tinker";
import { serve, type Served } from "./test-server.ts";

const opened: Served[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

const adam = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0 };
const row = datum([1, 2, 3, 4, 5], { weights: [1, 1, 1, 1] });

test.each([
  ["JSON", jsonCodec],
  ["protobuf", protobufCodec],
])("a model made by one load continues the checkpoint bit for bit, in %s", async (_, codec) => {
  const served = await serve({ client: { codec } });
  opened.push(served);
  const { client, server } = served;
  const trains = { unembed: false, mlp: true, attn: true };
  const model = await client.createModel({ baseModel: "tiny", rank: 4, seed: 3, trains });
  await model.forwardBackward([row], "cross_entropy");
  await model.optimStep(adam);
  const path = await model.save("kept", undefined, { ttlSeconds: 3600 });
  const made = await client.createModelFrom(path, { optimizer: true });
  expect(made.modelId).not.toBe(model.modelId);
  for (const each of [model, made]) {
    await each.forwardBackward([row], "cross_entropy");
    await each.optimStep(adam);
  }
  const [own, other] = await Promise.all([model, made].map((each) => each.forward([row], "cross_entropy")));
  expect(other?.loss_fn_outputs).toEqual(own?.loss_fn_outputs);
  const bodies = (of: string): object[] =>
    server.log.flatMap((each) => (each.path === of ? [each.body as object] : []));
  expect(bodies("create_model")).toMatchObject([
    { lora_config: { rank: 4, seed: 3, train_unembed: false, train_mlp: true, train_attn: true } },
  ]);
  expect(bodies("create_session")).toMatchObject([{ sdk_version: codec.sdkVersion }]);
  expect(bodies("save_weights")).toMatchObject([{ path: "kept", ttl_seconds: 3600 }]);
  expect(bodies("load_weights")).toEqual([
    { session_id: client.sessionId, model_seq_id: 1, path, optimizer: true, type: "load_weights" },
  ]);
  await expect(model.save("never", undefined, { ttlSeconds: 0.5 })).rejects.toMatchObject({ code: "input_invalid" });
  await expect(client.createModelFrom("tinker://run/weights/no-such", { optimizer: false })).rejects.toMatchObject({
    code: "api_refused",
  });
});

test.each([
  ["JSON", jsonCodec],
  ["protobuf", protobufCodec],
])("the likeliest tokens of a prompt come with their log-probs, in %s", async (_, codec) => {
  const served = await serve({ client: { codec } });
  opened.push(served);
  const { client } = served;
  const model = await client.createModel({ baseModel: "tiny", rank: 4 });
  const sampler = await model.saveForSampler();
  const prompt = [1, 2, 3, 4];
  const options = { promptLogProbs: true, topPromptLogProbs: 13 };
  const reply = await client.sample(sampler, prompt, { maxTokens: 2, seed: 1 }, options);
  const rows = reply.topk_prompt_logprobs ?? [];
  expect(rows.map((each) => each?.length ?? null)).toEqual([null, 13, 13, 13]);
  rows.slice(1).forEach((each, i) => {
    const found = new Map(each);
    // All tokens of the vocabulary, so their shares are one, and the prompt's own is that which was asked for.
    expect([...found.values()].reduce((sum, logProb) => sum + Math.exp(logProb), 0)).toBeCloseTo(1, 5);
    expect(found.get(prompt[i + 1] as number)).toBeCloseTo(reply.prompt_logprobs?.[i + 1] ?? Number.NaN, 5);
  });
  const plain = await client.sample(sampler, prompt, { maxTokens: 2, seed: 1 });
  expect([plain.topk_prompt_logprobs ?? null, plain.prompt_logprobs ?? null]).toEqual([null, null]);
});
