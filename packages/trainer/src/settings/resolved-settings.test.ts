import { budgetOptionsShape, dualController } from "@laconic/budget";
import { fillDefaults, type Field, type GroupShape, type UnknownRecord } from "@laconic/core";
import {
  estimatorNames,
  estimatorPreset,
  estimatorShape,
  objectiveNames,
  objectivePreset,
  objectiveShape,
  type EstimatorOptions,
} from "@laconic/gspo/presets";
import { costShapes, decoupledShape } from "@laconic/rewards";
import * as z from "zod";
import { expect, test } from "vitest";
import { agentGspoDefaults } from "./config.ts";
import { parseTrainConfig } from "./parse-train-config.ts";
import { trainConfigSchema } from "./schema.ts";

/** Settings without a default, and their meaning when absent. */
const off: Readonly<Record<string, string>> = {
  "objective.kl": "no term",
  "objective.kl.to": "the policy's own first weights",
  "objective.importance": "no correction",
  "objective.importance.veto": "no sequence is left out",
  "objective.importance.gapAbove": "every batch is corrected",
  "objective.offPolicyMask": "no sequence is left out",
  "objective.dualClip": "no bound",
  "objective.maxRatio": "no bound of a clipped loss",
  "objective.constantLength": "of one aggregation, which asks for it",
  "advantage.costWhenTaskAtLeast": "of the run's own setting",
  "budget.maxPrice": "no bound",
  "budget.guard": "no guard",
  "budget.guard.rewardTolerance": "the guard does not watch the reward",
  "budget.guard.referenceReward": "measured in the warm-up",
  "budget.guard.maxSilenceRate": "the guard does not watch silence",
  "costs.by": "all agents",
  "costs.from": "all senders",
};

type Shape = Pick<GroupShape<object>, "kind"> & { readonly fields: object };

function openFields(place: string, { fields }: Shape): string[] {
  return Object.entries(fields as Readonly<Record<string, Field>>).flatMap(([name, field]) => [
    ...(field.optional && field.default === undefined ? [`${place}.${name}`] : []),
    ...(typeof field.shape === "object" && field.shape.kind === "group"
      ? openFields(`${place}.${name}`, field.shape)
      : []),
  ]);
}

test("every option of an objective, estimator, budget and cost has a default, or is off where it is absent", () => {
  const open = [
    ...objectiveNames.flatMap((name) => openFields("objective", objectiveShape(name))),
    ...estimatorNames.flatMap((name) => openFields("advantage", estimatorShape(name))),
    ...openFields("advantage", decoupledShape),
    ...openFields("budget", budgetOptionsShape),
    ...Object.values(costShapes).flatMap((shape) => openFields("costs", shape)),
  ];
  expect([...new Set(open)].toSorted()).toEqual(Object.keys(off).toSorted());
});

test("every other setting that may be absent is off then", () => {
  const { shape } = trainConfigSchema as unknown as z.ZodObject;
  const absent = Object.entries(shape).flatMap(([name, field]) => {
    if (field instanceof z.ZodExactOptional) return [name];
    const slot = field instanceof z.ZodNullable ? field.unwrap() : field;
    const inner = slot instanceof z.ZodUnion ? slot.options.at(-1) : slot;
    return inner instanceof z.ZodObject
      ? Object.entries(inner.shape).flatMap(([key, each]) =>
          each instanceof z.ZodExactOptional ? [`${name}.${key}`] : [],
        )
      : [];
  });
  const parsed = parseTrainConfig({
    budget: { targetTokens: 1, learningRate: 1, warmupIterations: 1, derivativeGain: 1 },
    supervised: {},
  });
  const isResolved = (key: string): boolean =>
    key.split(".").reduce<unknown>((at, name) => (at as UnknownRecord | undefined)?.[name], parsed) !== undefined;
  expect(absent.filter((key) => !isResolved(key)).toSorted()).toEqual(
    [
      ...["maxTokens", "maxTokensPerAgent", "maxTurns", "maxSeconds", "maxSecondsPerTurn"].map(
        (key) => `limits.${key}`,
      ),
      "sampling.minP",
      "sampling.topK",
      "costWhenTaskAtLeast",
      "curriculum",
      "groupReward",
      "opponents",
      "reward",
      "supervised.agent",
      "supervised.examples",
      "budget.maxPrice",
      "budget.guard",
    ].toSorted(),
  );
});

test.each(objectiveNames)("%s computes by its resolved options alone", (name) => {
  const needed = name === "dr-grpo" ? { constantLength: 8 } : {};
  const options = fillDefaults(objectiveShape(name), needed);
  const { settings } = objectivePreset(name, options);
  expect(settings).toEqual(objectivePreset(name, needed).settings);
  // The configuration states every recorded option, except those that its name implies.
  const written = JSON.stringify(options);
  const decided = Object.entries(settings).filter(([key]) => key !== "aggregation");
  const numbers = decided.flatMap(([, value]) => (typeof value === "number" ? [JSON.stringify(value)] : []));
  expect(numbers.filter((number) => !written.includes(number))).toEqual([]);
});

test.each(estimatorNames.filter((name) => name !== "bnpo"))(
  "%s computes by its resolved options alone",
  async (name) => {
    const written = name === "group" ? { scale: "group" as const } : {};
    const rewards = Float64Array.of(1, 0, 0.5, 0, 1);
    const batch = {
      rewards,
      turnRewards: rewards,
      stepRewards: rewards,
      greedyRewards: rewards.map(() => 0.25),
      groups: Int32Array.of(0, 0, 0, 1, 1),
      offsets: Int32Array.of(0, 2, 3, 5, 6, 9),
      agents: ["a", "a", "a", "a", "a"],
      terms: {},
      costs: {},
      prices: {},
      problems: [],
      episodes: [],
      utterances: [],
    };
    const advantages = async (options: object): Promise<Float64Array> => {
      const { init, estimate } = estimatorPreset(name, options as EstimatorOptions[typeof name]);
      return (await estimate(batch, init?.())).advantages;
    };
    expect(await advantages(fillDefaults(estimatorShape(name), written))).toEqual(await advantages(written));
  },
);

test("a budget computes by its resolved options alone", () => {
  const options = { targetTokens: 10, learningRate: 0.1, warmupIterations: 1, derivativeGain: 0.1 };
  const guard = { action: "lower", maxSilenceRate: 0.5 } as const;
  const resolved = fillDefaults(budgetOptionsShape, { ...options, guard });
  expect(resolved).toEqual({ ...dualController({ ...options, guard }).settings, maxPrice: undefined });
});

test("resolving twice gives equal settings, for every objective and estimator", () => {
  const estimators = estimatorNames.map((estimator) => ({
    estimator,
    ...(estimator === "group" && { scale: "group" }),
    ...(estimator === "bnpo" && { a: 1, b: 1 }),
  }));
  const groupBy = "prompt+agent";
  const parsed = [
    ...objectiveNames.filter((name) => name !== "dr-grpo").map((name) => parseTrainConfig({ objective: { name } })),
    ...estimators.map((advantage) => parseTrainConfig({ advantage, groupBy })),
    parseTrainConfig({ advantage: { estimator: "group", scale: "none" } }),
    parseTrainConfig({
      policies: { a: { budget: { targetTokens: 1, learningRate: 1 }, objective: { name: "cispo" } } },
    }),
  ];
  for (const each of parsed) expect(parseTrainConfig(each)).toEqual(each);
  expect(parsed.at(-1)?.policies["a"]).toMatchObject({
    objective: { maxRatio: 5, minRatio: 0, aggregation: "token-mean" },
    budget: { unit: "token", antiWindup: true },
  });
  expect(parseTrainConfig({})).toEqual(agentGspoDefaults);
});
