import { parseTrainConfig } from "@laconic/trainer";
import { describe, expect, test } from "vitest";
import { namedTask, taskSettingsSchema } from "../named/index.ts";
import * as presets from "./index.ts";

const all = Object.entries<presets.Preset>({ ...presets });

describe.each(all)("%s", (_name, preset) => {
  test("is plain data that says a task and how it is trained", () => {
    expect(JSON.parse(JSON.stringify(preset))).toEqual(preset);
    expect(taskSettingsSchema.parse(preset.task)).toMatchObject(preset.task);
    expect(parseTrainConfig(preset.train)).toMatchObject(preset.train);
  });

  test("needs no other actor unless some agents do not learn", () => {
    expect(preset.actor ? namedTask(preset.task).hasFrozenAgents?.(preset.task) : true).toBe(true);
  });
});

test("a copy is changed in one property, and the preset is what it was", () => {
  const { relayQuickstart } = presets;
  const longer: presets.Preset = {
    ...relayQuickstart,
    train: {
      ...relayQuickstart.train,
      budget: { ...relayQuickstart.train.budget, targetTokens: 20 },
    },
  };
  const [changed, before] = [parseTrainConfig(longer.train), parseTrainConfig(relayQuickstart.train)];
  expect(changed).toEqual({ ...before, budget: { ...(before.budget as object), targetTokens: 20 } });
  expect(before.budget).toMatchObject({ targetTokens: 14 });
});

test("AgentPO's two objectives: the released code's and the paper's as printed, at the same batches and rates", () => {
  const [released, printed] = [presets.agentPoHint, presets.agentPoHintPrinted].map((preset) =>
    parseTrainConfig(preset.train),
  );
  expect(released?.objective).toEqual({ name: "dapo", dualClip: 10, clip: { low: 0.2, high: 0.28 } });
  expect(printed?.objective).toEqual({
    name: "grpo",
    clip: { low: 0.2, high: 0.2 },
    aggregation: "seq-mean-token-mean",
    kl: { estimator: "k3", coefficient: 0.04, biasCorrection: false },
  });
  expect({ ...printed, objective: null }).toEqual({ ...released, objective: null });
});
