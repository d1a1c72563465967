import { createReferenceKernels } from "../kernels/testing/index.ts";
import { expect, test } from "vitest";
import { randomParameters, tinyConfigs } from "../testing/tiny-models.ts";
import { parseModelConfig } from "./model-config.ts";
import { parameterShapes } from "./parameters.ts";
import { freeModel, parameter } from "./model-on-device.ts";
import { readStored, uploadModel } from "../testing/model-values.ts";

const kernels = createReferenceKernels();
const config = parseModelConfig(tinyConfigs["qwen3, tied head"] ?? {});
const values = randomParameters(config, 1);

test("weights go up by name and shape, and come down whole", async () => {
  const before = kernels.liveTensors();
  const model = kernels.scope(() => uploadModel(kernels, config, values));
  const stored = await readStored(kernels, model.parameters, parameterShapes(config));
  for (const [name, expected] of values) expect(stored.get(name)).toEqual(expected);
  freeModel(model);
  expect(kernels.liveTensors()).toBe(before);
});

test("a name the model does not have is a defect", () => {
  const model = uploadModel(kernels, config, values);
  expect(() => parameter(model, "lm_head.weight")).toThrow(
    expect.objectContaining({ code: "engine_failed", detail: { name: "lm_head.weight" } }),
  );
  freeModel(model);
});
