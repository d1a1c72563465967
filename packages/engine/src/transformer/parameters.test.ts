import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { tinyConfigs } from "../testing/tiny-models.ts";
import { parseModelConfig, type ModelConfig } from "./model-config.ts";
import { initialParameters, parameterShapes } from "./parameters.ts";

const { family } = parseModelConfig(tinyConfigs["qwen3, tied head"] ?? {});
const base: ModelConfig = {
  ...parseModelConfig(tinyConfigs["llama, tied head, 3 layers"] ?? {}),
  vocabularySize: 40,
  hiddenSize: 12,
  layers: 1,
  queryHeads: 4,
  kvHeads: 2,
  headDim: 8,
  feedForwardSize: 20,
};

function table(config: ModelConfig): string {
  return [...parameterShapes(config)].map(([name, shape]) => `${name} ${shape.join("x")}`).join("\n");
}

test("names and shapes are those of Hugging Face checkpoints", () => {
  expect(table(base)).toBe(
    [
      "model.embed_tokens.weight 40x12",
      "model.layers.0.input_layernorm.weight 12",
      "model.layers.0.self_attn.q_proj.weight 32x12",
      "model.layers.0.self_attn.k_proj.weight 16x12",
      "model.layers.0.self_attn.v_proj.weight 16x12",
      "model.layers.0.self_attn.o_proj.weight 12x32",
      "model.layers.0.post_attention_layernorm.weight 12",
      "model.layers.0.mlp.gate_proj.weight 20x12",
      "model.layers.0.mlp.up_proj.weight 20x12",
      "model.layers.0.mlp.down_proj.weight 12x20",
      "model.norm.weight 12",
    ].join("\n"),
  );
});

test("biases, head norms and a free head add their tensors", () => {
  const added = (change: Partial<ModelConfig>): string[] => {
    const before = parameterShapes(base);
    return [...parameterShapes({ ...base, ...change })].flatMap(([name, shape]) =>
      before.has(name) ? [] : [`${name} ${shape.join("x")}`],
    );
  };
  const attention = "model.layers.0.self_attn";
  expect(added({ qkvBias: true })).toEqual([
    `${attention}.q_proj.bias 32`,
    `${attention}.k_proj.bias 16`,
    `${attention}.v_proj.bias 16`,
  ]);
  expect(added({ outputBias: true })).toEqual([`${attention}.o_proj.bias 12`]);
  expect(added({ family })).toEqual([`${attention}.q_norm.weight 8`, `${attention}.k_norm.weight 8`]);
  expect(added({ tiedHead: false })).toEqual(["lm_head.weight 40x12"]);
});

const wide = { ...base, hiddenSize: 64, feedForwardSize: 256, qkvBias: true, family, initializerRange: 0.05 };
const fresh = await drawn(wide, 1);

async function drawn(config: ModelConfig, seed: string | number): Promise<(readonly [string, Float32Array])[]> {
  const sources = [...initialParameters(config, randomFromSeed(seed))];
  return Promise.all(sources.map(async ([name, { read }]) => [name, (await read()) as Float32Array] as const));
}

test("fresh weights have the size of their shape", () => {
  const sizes = fresh.map(([name, values]) => [name, values.length]);
  expect(sizes).toEqual([...parameterShapes(wide)].map(([name, shape]) => [name, shape.reduce((a, b) => a * b, 1)]));
});

test.each([
  ["norm.weight", 1],
  ["bias", 0],
])("fresh weights: every %s is %d", (ending, value) => {
  const matches = fresh.filter(([name]) => name.endsWith(ending));
  expect(matches.length).toBeGreaterThan(2);
  for (const [, values] of matches) expect(new Set(values)).toEqual(new Set([value]));
});

test("fresh weights: matrices are normal with the configured deviation", () => {
  const matrices = fresh.filter(([name]) => parameterShapes(wide).get(name)?.length === 2);
  for (const [, values] of matrices) {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
    // Four standard errors.
    expect(Math.abs(mean)).toBeLessThan((4 * 0.05) / Math.sqrt(values.length));
    expect(Math.abs(deviation - 0.05)).toBeLessThan((4 * 0.05) / Math.sqrt(2 * values.length));
  }
});

test("a tensor's weights depend on the seed and its name, not on the other tensors", async () => {
  const [small, other] = [new Map(await drawn(base, "s")), new Map(await drawn(base, "t"))];
  const large = new Map(await drawn({ ...base, layers: 3, family }, "s"));
  for (const [name, values] of small) expect(large.get(name)).toEqual(values);
  expect(other.get("model.embed_tokens.weight")).not.toEqual(small.get("model.embed_tokens.weight"));
});
