import { afterEach, expect, test } from "vitest";
import { datum, jsonCodec, protobufCodec } from "@laconic/tinker";
import { serve, type Served } from "./test-server.ts";

const opened: Served[] = [];
afterEach(async () => {
  for (const served of opened.splice(0)) await served.close();
});

const adam = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0 };
const row = datum([1, 2, 3, 4, 5], { weights: [1, 1, 1, 1] });

test.each([
  ["JSON", jsonCodec],
  ["protobuf", protobufCodec],
])("a new model continues a checkpoint bit for bit, in %s", async (_, codec) => {
  const served = await serve({ client: { codec } });
  opened.push(served);
  const { client, server } = served;
  const settings = { baseModel: "tiny", rank: 4, seed: 3 };
  const model = await client.createModel(settings);
  await model.forwardBackward([row], "cross_entropy");
  await model.optimStep(adam);
  const path = await model.save("kept");
  const loaded = await client.createModel(settings);
  await loaded.load(path, { optimizer: true });
  expect(loaded.modelId).not.toBe(model.modelId);
  for (const trainingClient of [model, loaded]) {
    await trainingClient.forwardBackward([row], "cross_entropy");
    await trainingClient.optimStep(adam);
  }
  const [passReply, other] = await Promise.all(
    [model, loaded].map((trainingClient) => trainingClient.forward([row], "cross_entropy")),
  );
  expect(other?.loss_fn_outputs).toEqual(passReply?.loss_fn_outputs);
  const bodies = (of: string): object[] =>
    server.log.flatMap((item) => (item.path === of ? [item.body as object] : []));
  expect(bodies("create_session")).toMatchObject([{ sdk_version: codec.sdkVersion }]);
  expect(bodies("save_weights")).toMatchObject([{ path: "kept" }]);
  expect(bodies("load_weights")).toMatchObject([{ path, optimizer: true, type: "load_weights" }]);
  await expect(model.saveForSampler(0.5)).rejects.toFailWith("input_invalid");
});

test("returns log-probs of a prompt on request", async () => {
  const served = await serve({ client: { codec: protobufCodec } });
  opened.push(served);
  const { client } = served;
  const model = await client.createModel({ baseModel: "tiny", rank: 4 });
  const sampler = await model.saveForSampler();
  const [prompt, sampling] = [[1, 2, 3, 4], { maxTokens: 2, seed: 1 }];
  const { prompt_logprobs: asked } = await client.sample(sampler, prompt, sampling, { promptLogProbs: true });
  expect(asked).toEqual([Number.NaN, ...Array.from({ length: 3 }, () => expect.any(Number) as number)]);
  expect((await client.sample(sampler, prompt, sampling)).prompt_logprobs ?? null).toBeNull();
});
