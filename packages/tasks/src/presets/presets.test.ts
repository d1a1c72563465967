import { parseTrainConfig } from "@laconic/trainer";
import { describe, expect, test } from "vitest";
import { namedTask, taskSettingsSchema } from "../named/index.ts";
import * as presets from "./index.ts";

const all = Object.entries<presets.Preset>({ ...presets });

describe.each(all)("%s", (_name, preset) => {
  test("is plain data that says a task and how it is trained", () => {
    expect(JSON.parse(JSON.stringify(preset))).toEqual(preset);
    expect(taskSettingsSchema.parse(preset.task)).toEqual(preset.task);
    expect(parseTrainConfig(preset.train)).toMatchObject(preset.train);
  });

  test("needs no other actor unless some agents do not learn", () => {
    expect(preset.actor ? namedTask(preset.task).hasFrozenAgents(preset.task) : true).toBe(true);
  });
});

test("a copy is changed in one property, and the preset is what it was", () => {
  const { relayQuickstart } = presets;
  const longer: presets.Preset = {
    ...relayQuickstart,
    train: { ...relayQuickstart.train, budget: { ...relayQuickstart.train.budget, targetTokens: 20 } },
  };
  const [changed, before] = [parseTrainConfig(longer.train), parseTrainConfig(relayQuickstart.train)];
  expect(changed).toEqual({ ...before, budget: { ...before.budget, targetTokens: 20 } });
  expect(before.budget?.targetTokens).toBe(14);
});
