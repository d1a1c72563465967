import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { sizeOf } from "../kernels/index.ts";
import { defaultFiles } from "#platform";
import { tinyConfigs } from "../testing/tiny-models.ts";
import { adapterOf } from "../transformer/model-on-device.ts";
import { parseModelConfig } from "../transformer/model-config.ts";
import { adapterShapes, initialAdapter } from "./lora-settings.ts";
import { parsePeftConfig, openPeftFolder, toPeftConfig, writePeftFolder } from "./peft-folder.ts";
import { randomFromSeed, type UnknownRecord } from "@laconic/core";

const written = { peft_type: "LORA", r: 4, lora_alpha: 8, target_modules: ["q_proj"] };
const config = parseModelConfig(Object.values(tinyConfigs)[0] as UnknownRecord);

test("reads PEFT's default format with its names", () => {
  const whole = {
    ...written,
    lora_dropout: 0.1,
    use_rslora: true,
    bias: "none",
    rank_pattern: {},
    modules_to_save: null,
  };
  expect(parsePeftConfig(whole, "file")).toEqual({
    rank: 4,
    alpha: 8,
    targets: ["q_proj"],
    dropout: 0.1,
    rankStabilized: true,
  });
});

test("modules by their full names, as PEFT spells all-linear out, and names of other models", () => {
  const full = ["model.layers.1.self_attn.q_proj", "model.layers.0.mlp.up_proj", "query_key_value"];
  const parsed = parsePeftConfig({ ...written, target_modules: full }, "file");
  expect([...adapterShapes(config, parsed).keys()]).toEqual([
    "model.layers.0.mlp.up_proj.lora_A.weight",
    "model.layers.0.mlp.up_proj.lora_B.weight",
    "model.layers.1.self_attn.q_proj.lora_A.weight",
    "model.layers.1.self_attn.q_proj.lora_B.weight",
  ]);
  expect(adapterShapes(config, parsePeftConfig({ ...written, target_modules: "all-linear" }, "file")).size).toBe(28);
});

test("settings go to PEFT and back", () => {
  const lora = { rank: 4, alpha: 8.5, dropout: 0.1, rankStabilized: true, targets: ["q_proj", "layers.0.mlp.up_proj"] };
  expect(parsePeftConfig(toPeftConfig(lora, null), "file")).toEqual(lora);
});

test.each([
  [{ peft_type: "IA3" }, /peft_type is "IA3": only LORA/],
  [{ use_dora: true }, /use_dora is true: not supported/],
  [{ bias: "all" }, /bias is "all": not supported/],
  [{ modules_to_save: ["lm_head"] }, /modules_to_save/],
  [{ rank_pattern: { q_proj: 8 } }, /rank_pattern/],
  [{ alpha_pattern: { q_proj: 8 } }, /alpha_pattern/],
  [{ layers_to_transform: [0] }, /layers_to_transform/],
  [{ trainable_token_indices: [1] }, /trainable_token_indices/],
  [{ some_later_option: 2 }, /some_later_option is 2: not supported/],
  [{ task_type: "SEQ_CLS" }, /task_type is "SEQ_CLS"/],
  [{ init_lora_weights: "pissa" }, /init_lora_weights is "pissa": it changes the base/],
  [{ target_modules: ".*_proj" }, /expressions are not supported/],
  [{ target_modules: ["q_proj", "lm_head"] }, /lm_head is not a projection of a layer/],
  [{ target_modules: ["c_attn"] }, /expected at least one projection/],
  [{ r: "4" }, /r is "4": expected a number/],
] as const)("an adapter that computes something else is refused by name: %o", (change, message) => {
  expect(() => parsePeftConfig({ ...written, ...change }, "file")).toFailWith("model_unsupported", message);
});

test("the scale is alpha / rank, or alpha / sqrt(rank) for rsLoRA", () => {
  expect(adapterOf({ rank: 4, alpha: 8 }, new Map()).scale).toBe(2);
  expect(adapterOf({ rank: 4, alpha: 8, rankStabilized: true }, new Map()).scale).toBe(4);
});

test("B starts at zero and A within 1 / sqrt(in), both deterministic by name", () => {
  const lora = { rank: 2, alpha: 4 };
  const values = initialAdapter(config, lora, randomFromSeed(1));
  expect(values).toEqual(initialAdapter(config, lora, randomFromSeed(1)));
  const largest = Array.from(adapterShapes(config, lora), ([name, [, columns = 1]]) => {
    const most = (values.get(name) as Float32Array).reduce((max, value) => Math.max(max, Math.abs(value)), 0);
    return { b: name.includes("lora_B"), share: most * Math.sqrt(columns) };
  });
  expect(largest.filter(({ b, share }) => (b ? share !== 0 : share < 0.5 || share > 1))).toEqual([]);
  expect(largest.filter(({ b }) => b)).toHaveLength(largest.length / 2);
});

test("missing, surplus and misshapen tensors are refused by name", async () => {
  const folder = await temporaryFolder();
  const lora = { rank: 2, alpha: 4, targets: ["q_proj"] };
  const matrices = Array.from(adapterShapes(config, lora), ([name, shape]) => {
    const values = new Float32Array(sizeOf(shape));
    return [name, { shape, read: async () => values }] as const;
  });
  const refusal = async (changed: typeof matrices): Promise<unknown> => {
    await writePeftFolder(defaultFiles, folder, lora, null, new Map(changed), "F32");
    return openPeftFolder(defaultFiles, folder, config).catch((error: unknown) => error);
  };
  const [first] = matrices[0] as (typeof matrices)[number];
  expect(await refusal(matrices.slice(1))).toFailWith("weights_invalid", first);
  const surplus = ["other.lora_A.weight", { shape: [1], read: async () => new Float32Array(1) }] as const;
  expect(await refusal([...matrices, surplus])).toMatchObject({ message: expect.stringContaining("other.lora_A") });
  await writePeftFolder(defaultFiles, folder, lora, null, new Map(matrices), "F32");
  await writeFile(join(folder, "adapter_config.json"), JSON.stringify({ ...written, r: 3 }));
  expect(await openPeftFolder(defaultFiles, folder, config).catch((error: unknown) => error)).toFailWith(
    "weights_invalid",
    "expected [3,",
  );
});
