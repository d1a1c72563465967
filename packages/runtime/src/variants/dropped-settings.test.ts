import { storyTellers } from "@laconic/tasks/presets";
import { expect, test } from "vitest";
import { droppedSettings } from "./variants.ts";

test.each([
  [['train.objective={"name":"grpo"}'], "train.objective replaces the whole group and drops clip, kl"],
  [['train.objective={"name":"gspo","clip":{"low":0.1},"kl":{}}'], "drops clip.high, kl.estimator, kl.coefficient"],
  [["train.budget={}"], "train.budget replaces"],
] as const)("%j omits the named part", (overrides, reply) => {
  expect(droppedSettings(storyTellers as never, overrides).join()).toContain(reply);
});

test("settings that are changed one by one leave nothing out", () => {
  const overrides = ["train.objective.name=grpo", "train.seed=3", "train.budget=null", "model=x", "train.new={}"];
  expect(droppedSettings(storyTellers as never, overrides)).toEqual([]);
});
