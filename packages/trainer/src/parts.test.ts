import { expect, test } from "vitest";
import { checkTrainingParts, modelsOf, type TrainingParts } from "./parts.ts";
import { tinyParts } from "./testing/index.ts";

const parts = tinyParts("star");
const model = parts.policy(parts.model);

test("trained agents share the policy; the others keep their frozen models", () => {
  const models = modelsOf({ ...parts, trainedAgents: ["solver"], frozen: { hint: model } }, parts.model);
  expect(Object.keys(models).toSorted()).toEqual(["hint", "solver"]);
  expect(models["hint"]).toBe(model);
  expect(models["solver"]).not.toBe(model);
  const all = modelsOf(parts, parts.model);
  expect(all["hint"]).toBe(all["solver"]);
});

test.each<[Partial<TrainingParts>, string, string]>([
  [{ trainedAgents: ["sovler"] }, "sovler", "the team has no such agent; it has hint, solver"],
  [{ frozen: { judge: model } }, "judge", "no such agent"],
  [{ frozen: { hint: model } }, "hint", "is trained, so its frozen model has no effect"],
  [{ trainedAgents: ["solver"] }, "hint", "is not trained and has no frozen model"],
])("%j is refused for agent %s: %s", (changes, agent, reason) => {
  expect(() => checkTrainingParts({ ...parts, ...changes })).toThrowError(
    expect.objectContaining({ code: "input_invalid", detail: { agent }, message: expect.stringContaining(reason) }),
  );
});

test("nobody to train is refused", () => {
  expect(() => checkTrainingParts({ ...parts, trainedAgents: [] })).toThrowError(/nothing would be learned/);
  expect(() => checkTrainingParts(parts)).not.toThrow();
});
