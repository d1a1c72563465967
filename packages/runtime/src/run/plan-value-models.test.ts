import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { loadConfig } from "../resolver/index.ts";
import { parseAppConfig } from "./app-config.ts";
import { planValueModels } from "./plan-run.ts";

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
  return planValueModels({ train: parsed }, policies, settings, async () => folder);
}

test("memory has two moments and weights per critic, weights per reward model, and no head on the policy's layers", async () => {
  const both = await planned('advantage: gae({ model: "a" }), reward: modelReward({ model: "b" })', ["x", "y"]);
  expect(both.map((plannedValueModel) => [plannedValueModel.model, plannedValueModel.of])).toEqual([
    ["a", "critic"],
    ["a", "critic"],
    ["b", "reward"],
  ]);
  const [critic, , reward] = both;
  // Beside weights each holds the tables of the rotary embedding.
  const tables = 2 * 64 * (8 / 2) * 4;
  expect(reward?.lasting).toBe(4 * parameters + tables);
  expect(critic?.lasting).toBe(3 * 4 * parameters + tables);
  expect(critic?.coming).toBeGreaterThan(4 * parameters + (reward?.coming ?? Infinity));
  const frozen = await planned('advantage: gae({ model: "a", train: "head" })', ["x"]);
  expect(frozen.map(({ lasting }) => lasting)).toEqual([reward?.lasting]);
  expect(await planned('advantage: gae({ model: { of: "policy" } })', ["x"])).toEqual([]);
  expect(await planned('advantage: { estimator: "group", scale: "none" }', ["x"])).toEqual([]);
});
