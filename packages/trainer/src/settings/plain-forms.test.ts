import { expect, test } from "vitest";
import { parseTrainConfig } from "./parse-train-config.ts";
import { settingPaths, trainConfigSchema } from "./schema.ts";

test("a name stands for an alternative, and a number for a range or a budget's target", () => {
  const config = parseTrainConfig({
    objective: "grpo",
    advantage: "rloo",
    credit: "shared",
    policies: { one: { objective: { name: "dapo", clip: 0.3 }, budget: { targetTokens: 9, learningRate: 1e-3 } } },
  });
  expect(config.objective.name).toBe("grpo");
  expect(config.advantage).toMatchObject({ estimator: "rloo" });
  expect(config.policies["one"]?.objective).toMatchObject({ name: "dapo", clip: { low: 0.3, high: 0.3 } });
  expect(() => parseTrainConfig({ budget: 20 })).toThrow(/^budget\.learningRate: it is missing/u);
});

test.each([
  [{ objective: "gppo" }, /objective.*did you mean gspo\?/u],
  [{ objective: "__proto__" }, /objective/u],
  [{ objective: 3 }, /objective/u],
  [{ credit: "sharing" }, /credit/u],
])("%j is rejected with what is accepted", (written, message) => {
  expect(() => parseTrainConfig(written)).toThrow(message);
});

test("paths name settings within alternatives and records", () => {
  expect(settingPaths(trainConfigSchema)).toEqual(
    expect.arrayContaining(["steps", "objective.kl.coefficient", "policies.*.budget.targetTokens", "credit.kind"]),
  );
});
