import { runSpec } from "./spec/run-spec.ts";
// Whatever the pure packages export is something a configuration leads to, or a building block with a reason. Nothing here
// lists what is reachable: configurations are made from the shapes of options, trained, and V8 says which functions ran.
import * as budget from "@laconic/budget";
import { checkShape, LaconicError, type Field, type Objective, type Shape } from "@laconic/core";
import { scriptedEpisode } from "@laconic/core/testing";
import * as gspo from "@laconic/gspo";
import { estimatorNames, estimatorShape, objectiveNames, objectiveShape } from "@laconic/gspo/presets";
import * as rewards from "@laconic/rewards";
import { beforeAll, expect, test } from "vitest";
import { misreported } from "../test/misreported.ts";
import { parseTrainConfig } from "./settings/parse-train-config.ts";
import { costsOf, estimatorOf, objectiveOf } from "./settings/named.ts";
import type { TrainedPolicy, TrainingParts } from "./spec/parts.ts";
import { score } from "./stages/score.ts";
import { callCounter } from "./testing/calls-of.ts";
import { tinyPairParts, tinyParts, tinySettings } from "./testing/index.ts";
import { train, type TrainResult } from "./train.ts";

const packages = { gspo, rewards, budget };
type Settings = Readonly<Record<string, unknown>>;

/** Options that have an effect only together with others. */
const companions: Settings = {
  constantLength: { aggregation: "seq-mean-token-sum-norm" },
  "aggregation=seq-mean-token-sum-norm": { constantLength: 4 },
  std: { scale: "group" },
  epsilon: { scale: "group" },
  epsilonForm: { scale: "group" },
  warmupPrice: { warmupIterations: 2 },
  annealIterations: { warmupIterations: 2 },
  derivativeSmoothing: { derivativeGain: 1 },
  action: { maxSilenceRate: 0.5 },
  rewardTolerance: { referenceReward: 1 },
  referenceReward: { rewardTolerance: 1 },
  lowerBy: { action: "lower", maxSilenceRate: 0.5 },
  dualClip: { dualClip: 3 },
  maxRatio: { maxRatio: 3 },
};

/** A value of every alternative of a shape. */
function samplesOf(shape: Shape): unknown[] {
  if (shape.kind === "boolean") return [true, false];
  if (shape.kind === "text") return ["solver"];
  if (shape.kind === "choice") return [...shape.of];
  if (shape.kind === "list") return [Array.from({ length: shape.least ?? 1 }, () => samplesOf(shape.of)[0])];
  if (shape.kind === "group") return optionsOf(shape.fields).slice(1);
  if (shape.kind !== "number") throw new Error(`there is no sample of ${shape.kind}`);
  const { integer, min = 0, above = min, max = Infinity, below = max } = shape;
  if (integer) return [Math.max(2, min)];
  return [below === Infinity ? above + 1 : (above + below) / 2];
}

/** What has to be set, first alone, then with every option at every alternative. */
function optionsOf(fields: Readonly<Record<string, Field>>, fixed: Settings = {}): Settings[] {
  const needed = Object.entries(fields).filter(([, { optional }]) => !optional);
  const base = Object.fromEntries(needed.map(([name, { shape }]) => [name, samplesOf(shape).at(-1)]));
  const other = (name: string, value: unknown): object => {
    const own = (companions[`${name}=${String(value)}`] ?? companions[name] ?? {}) as Settings;
    return Object.fromEntries(Object.entries(own).filter(([key]) => Object.hasOwn(fields, key)));
  };
  return [
    { ...base, ...fixed },
    ...Object.entries(fields).flatMap(([name, { shape }]) =>
      samplesOf(shape).map((value) => ({ ...base, [name]: value, ...other(name, value), ...fixed })),
    ),
  ];
}

const { kl, importance, offPolicyMask } = objectiveShape("grpo").fields;
const corrections = { kl, importance, offPolicyMask } as Readonly<Record<string, Field>>;
const ofObjective: Readonly<Record<string, Settings>> = { "dr-grpo": { constantLength: 4 } };
const byAgent = { groupBy: "prompt+agent" };
const tree = {
  groupBy: "tree-node",
  objective: { name: "magrpo" },
  advantage: { estimator: "group", scale: "none" },
};

/** Every name with every option of its shape, and the settings around them. */
const configurations: readonly Settings[] = [
  ...objectiveNames.flatMap((name) => {
    const own = Object.entries(objectiveShape(name).fields).filter(([option]) => !Object.hasOwn(corrections, option));
    return optionsOf(Object.fromEntries(own), { name, ...ofObjective[name] }).map((objective) => ({ objective }));
  }),
  ...optionsOf(corrections, { name: "grpo" }).map((objective) => ({ objective, steps: 2 })),
  { asynchronous: { maxLag: 1, importanceCap: 3 }, steps: 3 },
  ...estimatorNames.flatMap((estimator) =>
    optionsOf(estimatorShape(estimator).fields, { estimator }).map((advantage) => ({
      advantage,
      ...byAgent,
      prices: {},
      // Advantages of tokens need an objective over tokens.
      ...(estimator === "reinforce++" && { objective: { name: "grpo" } }),
    })),
  ),
  ...optionsOf(rewards.decoupledShape.fields, { estimator: "decoupled" }).map(
    ({ costWhenTaskAtLeast: threshold, ...advantage }) => ({
      advantage,
      ...(threshold !== undefined && { costWhenTaskAtLeast: threshold }),
    }),
  ),
  ...Object.values(rewards.costShapes).flatMap((shape) =>
    optionsOf(shape.fields).map((cost) => ({ costs: { cost }, prices: { cost: 0.1 } })),
  ),
  ...optionsOf(budget.budgetOptionsShape.fields).map((each) => ({
    budget: each,
    budgets: { turns: each },
    prices: {},
  })),
  ...["message", "turn", "trajectory", "joint"].map((ratioUnit) => ({ ratioUnit })),
  ...["aligned", "cross"].map((mode) => ({ ...tree, tree: { mode, gamma: 0.9, stopAbove: 0.9 } })),
  { ...byAgent, credit: { kind: "difference" } },
  { limits: { maxTokensPerAgent: 3, maxTokens: 8 } },
];

/** A star; its sampler's log-probs are a little off, as those of other kernels are, where a weight is to correct for that. */
function partsOf(settings: Settings): TrainingParts {
  if ("tree" in settings) return tinyPairParts(2);
  const parts = tinyParts("star");
  const { importance: corrects } = (settings["objective"] ?? {}) as Settings;
  if (corrects === undefined) return parts;
  const policy = parts.policies["policy"] as TrainedPolicy;
  return {
    ...parts,
    policies: { policy: { ...policy, speak: (sampler) => misreported(policy.speak(sampler), 1.01) } },
  };
}

async function trained(settings: Settings, parts = partsOf(settings)): Promise<TrainResult> {
  const short = { steps: 1, problemsPerStep: 2, episodesPerProblem: 2 };
  const evaluation = { every: 0, problems: 2, transcripts: 0 };
  const config = parseTrainConfig({ ...tinySettings, ...short, evaluation, ...settings });
  return train(runSpec({ ...parts, settings: config }));
}

const called = new Set<string>();
const refused: string[] = [];

beforeAll(async () => {
  const counter = await callCounter((url) => /\/packages\/(?:gspo|rewards|budget)\/src\//u.test(url));
  try {
    for (const settings of configurations) {
      const refusal = await counter.during(() =>
        trained(settings).then(
          () => null,
          (error: unknown) => error,
        ),
      );
      if (refusal !== null) {
        if (!LaconicError.is(refusal)) throw refusal;
        refused.push(refusal.message);
        continue;
      }
      for (const [name, exports] of Object.entries(packages))
        for (const [key, value] of Object.entries(exports))
          if (typeof value === "function" && counter.called(key, value)) called.add(`${name}.${key}`);
    }
  } finally {
    counter.close();
  }
}, 120_000);

const refSmall = { estimator: "k2", coefficient: 0.1 } as const;
const of = (name: "grpo", options = {}): Objective =>
  objectiveOf(parseTrainConfig({ ...tinySettings, objective: { name, ...options } }).objective);

/** The weights that a run ends with, as probabilities of what it says. */
async function weightsAfter(settings: Settings, own?: Objective): Promise<unknown> {
  const parts = tinyParts("star");
  await trained({ ...settings, steps: 3, ...(own && { objective: own }) }, parts);
  const sequences = [{ promptTokens: [0], completionTokens: [1, 2, 3] }];
  return (await parts.model.forward(sequences)).logProbs.values;
}

/**
 * What no configuration calls, with the reason, and where there is a setting that does the same, the proof: both are run,
 * and what they give is equal.
 */
const blocks: Readonly<Record<string, { readonly because: string; readonly proof?: () => unknown }>> = {
  "gspo.withKl": {
    because: "for an objective of one's own; named ones have the option kl",
    proof: async () =>
      expect(await weightsAfter({}, gspo.withKl(of("grpo"), refSmall))).toBeAllclose(
        (await weightsAfter({ objective: { name: "grpo", kl: refSmall } })) as number[],
        { absolute: 1e-12 },
      ),
  },
  "gspo.withOffPolicyMask": {
    because: "for an objective of one's own; named ones have the option offPolicyMask",
    proof: async () =>
      expect(await weightsAfter({}, gspo.withOffPolicyMask(of("grpo"), 0.1))).toEqual(
        await weightsAfter({ objective: { name: "grpo", offPolicyMask: 0.1 } }),
      ),
  },
  "rewards.judgeReward": { because: "asks a model, which is a value and no name; `reward` takes what it gives" },
  "rewards.judgeGrader": { because: "grades benches, whose verdicts no training takes" },
  "rewards.createJudge": { because: "what judgeReward asks, for graders of one's own and for agreement" },
  "rewards.createPreference": { because: "compares the answers of two teams after their runs" },
  "rewards.winRate": { because: "counts what preferences come to, after runs" },
  "rewards.agreement": { because: "measures a judge by labels, before runs" },
  "rewards.modelReward": { because: "judges by a model, which is a value and no name" },
  "rewards.addRewards": { because: "joins what a group reward gives, which is a value and no name" },
  "budget.asPriceController": { because: "takes a law of one's own, which is a value and no name" },
  "budget.dualAscent": {
    because: "Eq. 5 alone, by its name; a budget without antiWindup is the same",
    proof: () => {
      const options = { targetTokens: 4, learningRate: 0.1 };
      const config = parseTrainConfig({ ...tinySettings, prices: {}, budget: { ...options, antiWindup: false } });
      expect(budget.dualAscent(options).settings).toEqual(
        budget.dualController(config.budget as budget.BudgetOptions).settings,
      );
    },
  },
  "rewards.communicationReward": {
    because: "Eq. 1 as one function; a run prices what the task's grader and its costs measured",
    proof: () => {
      const config = parseTrainConfig({ ...tinySettings, prices: { tokens: 0.02, turns: 0.1 } });
      const episode = scriptedEpisode([{ agent: "solver", text: "ab" }]);
      const problem = { id: episode.problemId, question: "0", gold: "a" };
      const { grader } = tinyParts("star").task;
      const outcome = rewards.readReward({ task: grader(episode.answer, problem) });
      const pricing = { costs: costsOf(config), prices: config.prices, credit: config.credit };
      const [scored] = score([{ episode, problem, group: 0, score: outcome }], pricing);
      const terms = rewards.communicationReward({ grader, prices: config.prices })(episode, problem);
      expect(scored?.terms).toEqual(terms);
      expect(scored?.reward).toBeLessThan(1);
    },
  },
  "rewards.measureEpisode": { because: "grades and measures at once, in a loop of one's own; a run does it in two" },
};

/** What is exported and is no function, each with what a configuration makes of it. */
const objects: Readonly<Record<string, () => unknown>> = {
  "gspo.gspoClip": () => {
    const objective = objectiveOf(parseTrainConfig({ ...tinySettings, objective: { name: "gspo" } }).objective);
    expect(objective.settings).toMatchObject({ clipLow: gspo.gspoClip.low, clipHigh: gspo.gspoClip.high });
  },
  "gspo.groupAdvantageConventions": () => {
    for (const options of Object.values(gspo.groupAdvantageConventions)) {
      const { advantage } = parseTrainConfig({ ...tinySettings, advantage: { estimator: "group", ...options } });
      expect(estimatorOf({ advantage }).settings).toMatchObject(options);
    }
  },
  "rewards.bestMark": () => expect(rewards.bestMark).toBeGreaterThan(0),
  "rewards.equation1Costs": () => expect(costsOf({ costs: null })).toBe(rewards.equation1Costs),
  "rewards.costShapes": () => expect(configurations.some(({ costs }) => costs !== undefined)).toBe(true),
  "rewards.decoupledShape": () => expect(called).toContain("rewards.decoupledEstimator"),
  "budget.budgetOptionsShape": () => expect(called).toContain("budget.dualController"),
  "budget.budgetStateShape": () => {
    const state = budget.dualController({ targetTokens: 4, learningRate: 0.1 }).init();
    expect(checkShape(budget.budgetStateShape, state, "state")).toBeUndefined();
  },
};

const exported = Object.entries(packages).flatMap(([name, exports]) =>
  Object.entries(exports as Settings).map(([key, value]) => [`${name}.${key}`, value] as const),
);

test("every function is called by a configuration, or is a building block with its reason", () => {
  const uncalled = exported.filter(([name, value]) => typeof value === "function" && !called.has(name));
  expect(uncalled.map(([name]) => name).toSorted()).toEqual(Object.keys(blocks).toSorted());
});

test("every other value is what a configuration makes of it", async () => {
  const values = exported.filter(([, value]) => typeof value !== "function");
  expect(values.map(([name]) => name).toSorted()).toEqual(Object.keys(objects).toSorted());
  for (const proof of Object.values(objects)) await proof();
});

test.each(
  Object.entries(blocks).flatMap(([name, { because, proof }]) => (proof ? [[name, because, proof] as const] : [])),
)("%s: %s", async (_, __, proof) => {
  expect.hasAssertions();
  await proof();
});

test("of all these configurations two things are refused, whatever goes with them", () => {
  expect([...new Set(refused)]).toEqual([
    expect.stringMatching(/^kl.estimator k1 in a loss has a constant gradient/u),
    // The sample of `kl.to` is no policy of these runs.
    expect.stringMatching(/^the objective grpo needs the policy "solver"/u),
  ]);
});
