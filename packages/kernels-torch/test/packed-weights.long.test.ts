import { randomFromSeed, type TrainableModel } from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import { standInKernels } from "@laconic/kernels-torch/testing";
import { expect, test } from "vitest";
import { smallQwen } from "../../../test/qwen-half-billion.ts";
import { torchKernelSet } from "../src/torch-kernels.ts";
import { cpuTorch, installedTorch } from "./installed-torch.ts";

const missing = "missing" in installedTorch();

const config = { ...smallQwen, hidden_size: 256, intermediate_size: 384 };
const steps = 6;
/** Of a layer: q, k and v; o; gate and up; down. The head is small. */
const packedMatrices = 4 * config.num_hidden_layers;

function sampleFrom(model: TrainableModel): Promise<readonly { readonly logProbs: readonly number[] }[]> {
  const requests = Array.from({ length: 3 }, (_, seed) => ({
    promptTokens: [1, 2, seed],
    sampling: { temperature: 1, maxTokens: steps },
    stopTokens: [],
    random: randomFromSeed(seed).state(),
  }));
  return model.sample(requests);
}

test("float32 on the CPU decodes with weights packed once, in one call per product", async () => {
  const { kernels, calls } = standInKernels({ device: "cpu", dtype: "float32", attention: "math" });
  const engine = await createInlineEngine([kernels]);
  const model = await engine.createModel({ kind: "config", config, seed: 1 });
  await sampleFrom(model);
  // The prompts' pass, and each step but the last, whose token nobody reads.
  const products = packedMatrices * steps;
  const [plain, onto] = ["aoti_torch_cpu__linear_pointwise", "aoti_torch_cpu__linear_pointwise_binary"];
  expect([calls.get(plain), calls.get(onto)]).toEqual([products / 2, products / 2]);
  await engine.close();
});

test.skipIf(missing)("packed weights are freed with the last cache and equal the trained weights", async () => {
  const torch = cpuTorch();
  const engine = await createInlineEngine([torchKernelSet(torch, "float32", { attention: "fused" })]);
  const model = await engine.createModel({ kind: "config", config, seed: 1 });
  const results = await sampleFrom(model);
  const handles = torch.liveHandles;
  const again = await sampleFrom(model);
  expect(again).toEqual(results);
  expect(torch.liveHandles).toBe(handles);
  const { logProbs } = await model.forward(
    results.map((result) => {
      const { promptTokens, tokens } = result as unknown as Record<"promptTokens" | "tokens", number[]>;
      return { promptTokens, completionTokens: tokens };
    }),
  );
  const sampled = results.flatMap((result) => result.logProbs);
  sampled.forEach((value, i) => expect(logProbs.values[i]).toBeCloseTo(value, 5));
  await engine.close();
  expect(torch.liveHandles).toBe(0);
});
