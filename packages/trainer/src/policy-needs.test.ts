import type { RunSpecOptions } from "./spec/run-spec.ts";
import { LaconicError, type Objective, type ObjectiveInput, type Ragged, type UnknownRecord } from "@laconic/core";
import { gspo, withKl } from "@laconic/gspo";
import { expect, test } from "vitest";
import { trainTiny, type Trained } from "../test/train-tiny.ts";
import { onlyPolicy, type TrainedPolicy, type TrainingParts } from "./spec/parts.ts";
import { tinyPairParts, tinyParts, tinyTokenizer } from "./testing/index.ts";

const clip = { low: 0.2, high: 0.2 };

const run = (parts: RunSpecOptions, extra: UnknownRecord = {}): Promise<Trained> =>
  trainTiny(parts, { prices: {}, ...extra });

function watched(needs: NonNullable<Objective["needs"]>): { objective: Objective; inputs: ObjectiveInput[] } {
  const inner = gspo({ clip });
  const inputs: ObjectiveInput[] = [];
  const evaluate = (input: ObjectiveInput): ReturnType<Objective["evaluate"]> => {
    inputs.push(input);
    return inner.evaluate(input);
  };
  return { objective: { ...inner, needs, evaluate }, inputs };
}

test("log-probs of a peer then, now and initially cover equal tokens", async () => {
  const parts = tinyPairParts();
  const needs = (["old", "now", "first"] as const).map((path) => ({ policy: "first", at: path }));
  const { objective, inputs } = watched(needs);
  await run(parts, { steps: 2, minibatches: 1, policies: { second: { objective } } });
  const [one, two] = inputs.map(({ policyLogProbs = {}, logProbs }) => {
    for (const value of Object.values(policyLogProbs)) expect(value.offsets).toEqual(logProbs.offsets);
    const byKey: Readonly<Record<string, Ragged>> = policyLogProbs;
    return byKey;
  });
  // All eleven tokens are equally likely before the first step.
  const even = -Math.log(tinyTokenizer.vocabularySize);
  for (const value of one?.["first@first"]?.values ?? []) expect(value).toBeCloseTo(even, 12);
  expect(one?.["first@old"]).toEqual(one?.["first@first"]);
  // The first policy is updated before the second one.
  expect(one?.["first@now"]).not.toEqual(one?.["first@old"]);
  expect(two?.["first@first"]?.values[0]).toBeCloseTo(even, 12);
  expect(two?.["first@old"]).not.toEqual(two?.["first@first"]);
  expect(two?.["first@now"]).not.toEqual(two?.["first@old"]);
});

test("a KL term to a teacher alone makes a policy imitate the teacher", async () => {
  const taught = tinyParts();
  await run(taught);
  const apprentice = tinyParts();
  const nothing: Objective = {
    name: "nothing",
    settings: {},
    evaluate: ({ logProbs }) => ({ loss: 0, gradient: new Float64Array(logProbs.values.length), diagnostics: {} }),
  };
  const to = { policy: "teacher", at: "now" } as const;
  const objective = withKl(nothing, { estimator: "k2", coefficient: 1, to });
  const teachers = { teacher: taught.model };
  const { before, after } = await run({ ...apprentice, teachers, settings: { objective } }, { steps: 60 });
  expect(before.accuracy).toBeLessThan(0.3);
  expect(after.accuracy).toBeGreaterThan(0.9);
});

test("a configuration's KL term uses the peer that it names", async () => {
  const kl = { estimator: "k3", coefficient: 0.5, to: { policy: "second", at: "first" } };
  const settings = (name: string): object => ({
    policies: { first: { objective: { name: "grpo", clip, ...(name === "kl" && { kl }) } } },
    steps: 12,
  });
  const parts = { kl: tinyPairParts(), plain: tinyPairParts() };
  await run(parts.kl, settings("kl") as never);
  await run(parts.plain, settings("plain") as never);
  const sure = async ({ policies }: TrainingParts): Promise<number> => {
    const sequences = [0, 1, 2].map((token) => ({ promptTokens: [token], completionTokens: [3 + token] }));
    const { entropy } = await (policies["first"] as TrainedPolicy).model.forward(sequences);
    return entropy.values.reduce((sum, value) => sum + value, 0);
  };
  // The second policy started uniform, so the KL term keeps the first one less certain.
  expect(await sure(parts.kl)).toBeGreaterThan((await sure(parts.plain)) + 0.5);
});

test("policies that do not exist, and teachers that are called like policies, are refused", async () => {
  const { objective } = watched([{ policy: "polcy", at: "now" }]);
  const refused = await run({ ...tinyParts(), settings: { objective } }).catch((error: unknown) => error);
  expect(LaconicError.is(refused) && refused.message).toContain(
    'needs the unknown policy "polcy"; did you mean policy?',
  );
  const parts = tinyParts();
  await expect(run({ ...parts, teachers: { idle: parts.model } })).rejects.toMatchObject({
    message: expect.stringContaining("teachers.idle: no objective uses it"),
  });
  await expect(run({ ...parts, teachers: { [onlyPolicy]: parts.model } })).rejects.toFailWith("config_invalid", {
    key: `teachers.${onlyPolicy}`,
  });
});
