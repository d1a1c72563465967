import { expect, test } from "vitest";
import { checkTrainingParts, livePolicies, modelsOf, onlyPolicy } from "./parts.ts";
import type { TrainedPolicy, TrainingParts } from "./parts.ts";
import { tinyParts } from "../testing/index.ts";

const parts = tinyParts("star");
const policy = parts.policies[onlyPolicy] as TrainedPolicy;
const model = policy.speak(parts.model);
const solverOnly = { policies: { [onlyPolicy]: { ...policy, agents: ["solver"] } } };

test("trained agents share the policy; the others keep their frozen models", () => {
  const models = modelsOf({ ...parts, ...solverOnly, frozen: { hint: model } }, livePolicies(parts));
  expect(Object.keys(models).toSorted()).toEqual(["hint", "solver"]);
  expect(models["hint"]).toBe(model);
  expect(models["solver"]).not.toBe(model);
  const all = modelsOf(parts, livePolicies(parts));
  expect(all["hint"]).toBe(all["solver"]);
});

test("agents with separate policies speak with different models", () => {
  const two = { ...parts, policies: { a: { ...policy, agents: ["hint"] }, b: { ...policy, agents: ["solver"] } } };
  expect(() => checkTrainingParts(two)).not.toThrow();
  const models = modelsOf(two, livePolicies(two));
  expect(models["hint"]).not.toBe(models["solver"]);
  expect(() => modelsOf(two, { a: parts.model })).toThrow(/no sampler for policy "b"/u);
});

test.each<[Partial<TrainingParts>, string, string]>([
  [{ policies: { a: { ...policy, agents: ["sovler"] } } }, "sovler", "the team has no such agent; it has hint, solver"],
  [{ policies: { a: policy, b: { ...policy, agents: ["hint"] } } }, "hint", "speaks with the policies a and b"],
  [{ frozen: { judge: model } }, "judge", "no such agent"],
  [{ frozen: { hint: model } }, "hint", "is trained, so its frozen model has no effect"],
  [solverOnly, "hint", "is not trained and has no frozen model"],
])("%j is refused for agent %s: %s", (changes, agent, reason) => {
  expect(() => checkTrainingParts({ ...parts, ...changes })).toFailWith("input_invalid", reason, { agent });
});

test("an empty set to train is rejected, and so is an invalid folder name of a policy", () => {
  expect(() => checkTrainingParts({ ...parts, policies: {} })).toThrowError(/no policy to train/);
  expect(() => checkTrainingParts({ ...parts, policies: { a: { ...policy, agents: [] } } })).toThrowError(/no agents/);
  expect(() => checkTrainingParts({ ...parts, policies: { "../x": policy } })).toThrowError(/letters, digits/);
  expect(() => checkTrainingParts(parts)).not.toThrow();
});
