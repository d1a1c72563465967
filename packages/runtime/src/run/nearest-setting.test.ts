import { expect, test } from "vitest";
import { applyOverrides, parseAppConfig } from "./app-config.ts";

test.each([
  ["seed", "train.seed"],
  ["steps", "train.steps"],
  ["stps", "train.steps"],
  ["lr", "train.optimizer.learningRate.peak"],
  ["learning_rate", "train.optimizer.learningRate.peak"],
  ["beta", "train.objective.kl.coefficient"],
  ["num_generations", "train.episodesPerProblem"],
  ["per_device_train_batch_size", "train.problemsPerStep"],
  ["epochs", "train.epochs"],
  ["temperature", "train.sampling.temperature"],
  ["devise", "device"],
  ["rank", "lora.rank"],
])("%s is unknown; the message names %s", (name, setting) => {
  expect(() => parseAppConfig({ [name]: 1 })).toThrow(`${name}: unknown setting; did you mean ${setting}?`);
});

test("a misplaced name within train is looked for in all settings", () => {
  expect(() => parseAppConfig({ train: { num_generations: 4 } })).toThrow("did you mean train.episodesPerProblem?");
  expect(() => parseAppConfig({ train: { optimizer: { lora: 4 } } })).toThrow("did you mean lora?");
});

test("every name that a message suggests is a setting", async () => {
  const { synonyms, suggestSetting } = await import("./app-config.ts");
  const { configurationSchema } = await import("./configuration-schema.ts");
  const schema = JSON.stringify(configurationSchema());
  for (const [name, setting] of Object.entries(synonyms)) {
    expect(suggestSetting(name)).toBe(setting);
    expect(schema).toContain(`"${setting.split(".").at(-1)}":`);
  }
});

test("a number moves the target of a budget that the configuration has", () => {
  const base = { train: { budget: { targetTokens: 14, learningRate: 1e-4 } } };
  expect(applyOverrides(base, ["train.budget=20"])).toEqual({
    train: { budget: { targetTokens: 20, learningRate: 1e-4 } },
  });
});
