import { LaconicError } from "@laconic/core";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import { expect, test } from "vitest";
import { randomParameters, tinyConfigs } from "../testing/tiny-models.ts";
import { parseModelConfig } from "./model-config.ts";
import { parameterShapes } from "./parameters.ts";
import { readStored } from "./weight-layout.ts";
import { freeModel, parameter, uploadModel } from "./model-on-device.ts";

const kernels = createReferenceKernels();
const config = parseModelConfig(tinyConfigs["qwen3, tied head"] ?? {});
const values = randomParameters(config, 1);

function refusal(body: () => unknown): unknown[] {
  try {
    body();
  } catch (error) {
    if (LaconicError.is(error)) return [error.code, error.detail["name"]];
    throw error;
  }
  return [];
}

test("weights go up by name and shape, and come down whole", async () => {
  const before = kernels.liveTensors();
  const model = kernels.scope(() => uploadModel(kernels, config, values));
  const stored = await readStored(kernels, model.parameters, parameterShapes(config));
  for (const [name, expected] of values) expect(stored.get(name)).toEqual(expected);
  freeModel(model);
  expect(kernels.liveTensors()).toBe(before);
});

test("missing, surplus and misshapen weights are refused by name, and nothing stays on the device", () => {
  const before = kernels.liveTensors();
  const missing = new Map(values);
  missing.delete("model.norm.weight");
  const surplus = new Map(values).set("lm_head.weight", new Float64Array(3));
  const misshapen = new Map(values).set("model.norm.weight", new Float64Array(3));
  expect(refusal(() => uploadModel(kernels, config, missing))).toEqual(["weights_invalid", "model.norm.weight"]);
  expect(refusal(() => uploadModel(kernels, config, surplus))).toEqual(["weights_invalid", "lm_head.weight"]);
  expect(refusal(() => uploadModel(kernels, config, misshapen))).toEqual(["weights_invalid", "model.norm.weight"]);
  expect(kernels.liveTensors()).toBe(before);
});

test("a name the model does not have is a defect", () => {
  const model = uploadModel(kernels, config, values);
  expect(refusal(() => parameter(model, "lm_head.weight"))).toEqual(["engine_failed", "lm_head.weight"]);
  freeModel(model);
});
