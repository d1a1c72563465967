import { expect, test } from "vitest";
import type { RotaryTables } from "../kernels/index.ts";
import { createReferenceKernels } from "../kernels/testing/index.ts";
import { tinyConfigs, randomParameters } from "../testing/tiny-models.ts";
import { parseModelConfig, type ModelConfig } from "./model-config.ts";
import { rotaryTables, freeModel, parameter } from "./model-on-device.ts";
import { parameterShapes } from "./parameters.ts";
import { readStored, uploadModel } from "../testing/model-values.ts";

const plain = (change: object): ModelConfig =>
  parseModelConfig({ ...tinyConfigs["llama, tied head, 3 layers"], ...change });

/** Angle per position of each frequency, read back from row 1 of the tables. */
async function frequencies(config: ModelConfig): Promise<number[]> {
  const [{ cos, sin }] = rotaryTables(kernels, config) as [RotaryTables];
  expect(cos.shape).toEqual([config.maxPositions, config.headDim / 2]);
  const [c, s] = [await kernels.read(cos), await kernels.read(sin)];
  const half = config.headDim / 2;
  return Array.from({ length: half }, (_, i) => Math.atan2(s[half + i] as number, c[half + i] as number));
}

test("frequencies fall geometrically from 1 by theta", async () => {
  const matches = await frequencies(plain({ head_dim: 8, rope_theta: 10000 }));
  [1, 0.1, 0.01, 0.001].forEach((expected, i) => expect(matches[i]).toBeCloseTo(expected, 14));
});

test("position p turns by p times the frequency", async () => {
  const config = plain({ head_dim: 4, rope_theta: 100, max_position_embeddings: 9 });
  const [{ cos, sin }] = rotaryTables(kernels, config) as [RotaryTables];
  const [c, s] = [await kernels.read(cos), await kernels.read(sin)];
  for (let p = 0; p < 9; p++) {
    expect([c[2 * p], s[2 * p]]).toEqual([Math.cos(p), Math.sin(p)]);
    expect(c[2 * p + 1]).toBeCloseTo(Math.cos(p / 10), 14);
    expect(s[2 * p + 1]).toBeCloseTo(Math.sin(p / 10), 14);
  }
});

test("Llama 3.1 keeps high frequencies, stretches low ones and blends between", async () => {
  const rope_scaling = {
    rope_type: "llama3",
    factor: 8,
    low_freq_factor: 1,
    high_freq_factor: 4,
    original_max_position_embeddings: 8192,
  };
  const matches = await frequencies(
    plain({ head_dim: 64, rope_theta: 500000, max_position_embeddings: 2, rope_scaling }),
  );
  // transformers 5.18, LlamaRotaryEmbedding in float64.
  const golden: readonly (readonly [number, number])[] = [
    [0, 1],
    [1, 0.6636012376960885],
    [13, 0.004839421345719893],
    [14, 0.0032114459947525913],
    [15, 0.001371893567761138],
    [16, 0.0005248461609929547],
    [17, 0.00017850781276799638],
    [18, 7.78465527393245e-5],
    [31, 3.7673226901739635e-7],
  ];
  golden.forEach(([i, expected]) => expect(matches[i]).toBeCloseTo(expected, 14));
});

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
