import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInlineEngine, parseModelConfig, planMemory, readJsonFile } from "@laconic/engine";
import { createReferenceKernels } from "@laconic/engine/kernels/testing";
import { expect, test, vi } from "vitest";
import { metered } from "../../../engine/src/testing/metered-kernels.ts";
import { qwenHalfBillion } from "../../../../test/qwen-half-billion.ts";
import { sharedFolder, temporaryFolder } from "../../../../test/temporary-folder.ts";
import { saveTinyLlama } from "../../../../test/tiny-llama.ts";
import { loadConfig, presetConfig, presetNames } from "../resolver/load-config.ts";
import { applyOverrides, parseAppConfig } from "./app-config.ts";
import { openParts } from "./open-parts.ts";
import { expectFit, plannedPolicy, planOtherModels, planValueModels } from "./plan-models.ts";
import { policiesOf } from "./policy-models.ts";
import { plannedOutline, taskOutline } from "./run-task.ts";

const critics = new URL("../../../gspo/src/critics/index.ts", import.meta.url);
const rewards = new URL("../../../rewards/src/index.ts", import.meta.url);
const model = {
  model_type: "llama",
  vocab_size: 100,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 2,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  max_position_embeddings: 64,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: false,
};
/** Embedding, then per layer queries, keys, values, output, three matrices of the MLP and two norms; the last norm, and one row of a head. */
const parameters = 100 * 16 + 2 * (2 * 16 * 16 + 2 * 8 * 16 + 3 * 24 * 16 + 2 * 16) + 16 + 16;
const settings = {
  dtype: "float32",
  lora: null,
  recompute: "layer",
  snapshots: 1,
  promptTokens: 20,
  completionTokens: 12,
  microBatch: 4,
  rollouts: 8,
} as const;

async function planned(train: string, policies: readonly string[]): ReturnType<typeof planValueModels> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "config.json"), JSON.stringify(model));
  const imports = `import { gaeEstimator, modelCritic } from "${critics.pathname}";\nimport { modelReward } from "${rewards.pathname}";\n`;
  const gae =
    "const gae = (critic: object) => gaeEstimator({ gamma: 1, lambda: 1, critic: modelCritic({ learningRate: 1, ...critic } as never) });\n";
  const config = `export default { task: { name: "relay", level: "one-fact" }, train: { groupBy: "prompt+agent", ${train} } };\n`;
  await writeFile(join(folder, "run.config.ts"), imports + gae + config);
  const { train: parsed } = parseAppConfig(await loadConfig(join(folder, "run.config.ts")));
  return planValueModels(parsed, policies, settings, async () => folder);
}

test("memory has two moments and weights per critic, weights per reward model, and no head on the policy's layers", async () => {
  const both = await planned('advantage: gae({ model: "a" }), reward: modelReward({ model: "b" })', ["x", "y"]);
  expect(both.map(({ model: name, role }) => [name, role])).toEqual([
    ["a", "critic"],
    ["a", "critic"],
    ["b", "reward"],
  ]);
  const [critic, , reward] = both;
  // Beside weights each holds the tables of the rotary embedding.
  const tables = 2 * 64 * (8 / 2) * 4;
  expect(reward?.lasting).toBe(4 * parameters + tables);
  expect(critic?.lasting).toBe(3 * 4 * parameters + tables);
  expect(critic?.training).toBeGreaterThan(4 * parameters + (reward?.training ?? Infinity));
  const frozen = await planned('advantage: gae({ model: "a", train: "head" })', ["x"]);
  expect(frozen.map(({ lasting }) => lasting)).toEqual([reward?.lasting]);
  expect(await planned('advantage: gae({ model: { of: "policy" } })', ["x"])).toEqual([]);
  expect(await planned('advantage: { estimator: "group", scale: "none" }', ["x"])).toEqual([]);
});

/** A checkpoint for any task, with the tokenizer of a shipped model. */
const folder = sharedFolder();
const shipped = new URL("../../assets/reasoner/", import.meta.url);
for (const name of ["tokenizer.json", "tokenizer_config.json"])
  await copyFile(new URL(name, shipped), join(folder, name));
await saveTinyLlama(folder, { vocabulary: 2309, contextLength: 1024, endToken: 2308 });
const shape = parseModelConfig(await readJsonFile(join(folder, "config.json")));

test.for(presetNames.flatMap((name) => [null, { rank: 2, alpha: 4 }].map((lora) => ({ name, lora }))))(
  "plans the weights that $name opens, LoRA: $lora",
  async ({ name, lora }) => {
    const config = { ...parseAppConfig(presetConfig(name)), lora };
    const openModel = async (): Promise<string> => folder;
    const task = await plannedOutline(config, folder);
    const policies = Object.keys(policiesOf(config, task));
    const trained = task.trainedAgents ?? task.topology.agents;
    const frozen = task.topology.agents.filter((agent) => !trained.includes(agent));
    const unused = { ...settings, dtype: "float64", lora, snapshots: 0, microBatch: 1, rollouts: 1 } as const;
    const first = plannedPolicy("", config.model, planMemory(shape, unused));
    const others = await planOtherModels(config, { policies, frozenReplies: frozen.length }, unused, openModel);
    // Moments come with the first step.
    const moments = policies.length * planMemory(shape, unused).optimizerMoments;
    const weights = [first, ...others].reduce((sum, { lasting }) => sum + lasting, -moments);

    const meter = metered(createReferenceKernels());
    const engine = await createInlineEngine([meter.kernels]);
    const place = { sources: null } as never;
    const parts = { ...config, task: { ...config.task, prompts: "ours" } as typeof config.task };
    const opened = await openParts("prompts" in config.task ? parts : config, place, {
      engine,
      modelFolder: folder,
      openModel,
      testProblems: 0,
      onWarning: () => undefined,
    });
    expect(meter.bytes()).toBe(weights);
    await opened.close();
    await engine.close();
  },
);

test("refuses models that exceed the device before they are loaded, and names what would fit", async () => {
  const config = parseAppConfig(presetConfig("agentpo-hint"));
  const team = { policies: ["policy"], frozenReplies: 1 };
  const fit = (memory: number | null): Promise<void> =>
    expectFit(config, team, { name: "webgpu", dtype: "bfloat16", memory } as never, async () => folder);
  await Promise.all([fit(null), fit(2 ** 30)]);
  await expect(fit(1)).rejects.toMatchObject({
    code: "device_out_of_memory",
    message: expect.stringContaining("1 B are free; use smaller models"),
  });
  const needed = await fit(1).catch(({ detail }) => detail.bytes as number);
  await expect(fit((needed as number) - 1)).rejects.toThrow("lora.rank=16 lora.alpha=32 needs ");
  await fit(needed as number);
});

test("the optimizer's state on the host leaves room for larger models", async () => {
  const large = await temporaryFolder();
  await writeFile(join(large, "config.json"), JSON.stringify(qwenHalfBillion));
  const fit = (...words: readonly string[]): Promise<void> => {
    const config = parseAppConfig(applyOverrides({}, words));
    const device = { name: "webgpu", dtype: "bfloat16", memory: 6 * 2 ** 30 } as never;
    return expectFit(config, { policies: ["policy"], frozenReplies: 0 }, device, async () => large);
  };
  await expect(fit()).rejects.toMatchObject({ code: "device_out_of_memory" });
  await fit("memory.optimizer=host");
});

test("only plans leave published texts out: a served team keeps its prompts", async () => {
  vi.stubEnv("LACONIC_DATA", await temporaryFolder());
  const config = parseAppConfig(presetConfig("agentpo-hint"));
  await expect(taskOutline(config, folder)).rejects.toThrow("exemplars");
  expect((await plannedOutline(config, folder)).topology.agents).toContain("actor");
  vi.unstubAllEnvs();
});
