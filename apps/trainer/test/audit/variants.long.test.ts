import { performance } from "node:perf_hooks";
import { join } from "node:path";
import type { Reward } from "@laconic/core";
import { estimatorNames, objectiveNames } from "@laconic/gspo/presets";
import { tinyPairParts, tinyParts, tinyRun, tinyToolParts } from "@laconic/trainer/testing";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { auditRun } from "@laconic/audit";

type Settings = Readonly<Record<string, unknown>>;

const few = {
  steps: 4,
  problemsPerStep: 3,
  episodesPerProblem: 4,
  minibatches: 2,
  epochs: 2,
  evaluation: { every: 2, problems: 5, transcripts: 1 },
  checkpoint: { every: 2, keep: 2 },
};

const objectives: readonly Settings[] = [
  { name: "gspo", clip: { low: 0.01, high: 0.02 } },
  { name: "gspo", clip: { low: 0.2, high: 0.2 }, minLength: 3 },
  { name: "gspo-token", clip: { low: 0.01, high: 0.02 }, minLength: 2 },
  { name: "grpo", dualClip: 1.3, kl: { estimator: "k3", coefficient: 0.1 } },
  { name: "grpo", aggregation: "token-sum", kl: { estimator: "k2", coefficient: 0.1 } },
  { name: "grpo", maxRatio: 1.5, offPolicyMask: 0.05 },
  { name: "dr-grpo", constantLength: 4 },
  { name: "dapo", kl: { estimator: "k3+", coefficient: 0.1, biasCorrection: true } },
  { name: "reinforce", kl: { estimator: "k1+", coefficient: 0.1 } },
  { name: "reinforce", aggregation: "seq-mean-token-sum" },
  { name: "cispo", maxRatio: 1.1, minRatio: 0.9 },
  { name: "sapo" },
  { name: "gmpo", clip: { low: 0.05, high: 0.05 } },
  { name: "luspo", clip: { low: 0.01, high: 0.01 } },
  { name: "vespo" },
  { name: "magrpo" },
];

const estimators: readonly Settings[] = [
  { estimator: "group", scale: "group", std: "population", epsilon: 1e-4, epsilonForm: "clamp" },
  { estimator: "group", scale: "group" },
  { estimator: "group", scale: "batch" },
  ...["rloo", "raw", "gpg", "maremax", "remax", "opo"].map((estimator) => ({ estimator })),
  { estimator: "max-rl", epsilon: 0.01 },
  { estimator: "pass-at-k", scaled: true },
  { estimator: "decoupled", costs: "z-score", batch: "sequence" },
  { estimator: "decoupled", costs: "centred", std: "population" },
];

const byToken = { objective: { name: "grpo" } };

const variants: readonly [string, Settings, ("solo" | "star" | "tools")?][] = [
  ...objectives.map((objective): [string, Settings] => [JSON.stringify(objective), { objective }]),
  ...estimators.map((advantage): [string, Settings] => [JSON.stringify(advantage), { advantage }]),
  ["bnpo", { advantage: { estimator: "bnpo", a: 1.5, b: 2 }, prices: {} }],
  ["REINFORCE++", { ...byToken, advantage: { estimator: "reinforce++", discount: 0.9 } }],
  ["REINFORCE++ with a baseline", { ...byToken, advantage: { estimator: "reinforce++", baseline: true } }],
  ["a running baseline", { advantage: { estimator: "running-baseline" }, groupBy: "prompt+agent" }, "star"],
  // Episodes of which an agent speaks once or more often.
  ...[...estimators, { estimator: "bnpo", a: 1.5, b: 2 }, { estimator: "running-baseline" }].map(
    (advantage): [string, Settings, "tools"] => [
      `${JSON.stringify(advantage)} by episodes`,
      { advantage, groupBy: "prompt+agent", prices: {} },
      "tools",
    ],
  ),
  ["turns that count each", { groupBy: "prompt+agent", weightBy: "turn" }, "tools"],
  ["groups of agents and turns", { groupBy: "prompt+agent+turn" }, "star"],
  ["a ratio for a turn", { ratioUnit: "turn" }, "star"],
  ["a ratio for the whole team", { ratioUnit: "joint", minibatches: 3 }, "star"],
  ["difference rewards", { credit: { kind: "difference" }, groupBy: "prompt+agent" }, "star"],
  ["MARTI's margin", { credit: { kind: "margin", alpha: 0.5 }, groupBy: "prompt+agent" }, "star"],
  ["MARTI's quality", { credit: { kind: "quality", alpha: 0.5 }, groupBy: "prompt+agent+turn" }, "star"],
  ["costs for the right alone", { costWhenTaskAtLeast: 0.5 }],
  [
    "a budget with all there is",
    {
      prices: {},
      budget: {
        targetTokens: 2,
        learningRate: 0.05,
        unit: "budget",
        initialPrice: 0.2,
        maxPrice: 0.4,
        warmupIterations: 1,
        warmupPrice: 0.1,
        annealIterations: 3,
        proportionalGain: 0.1,
        derivativeGain: 0.2,
        derivativeSmoothing: 0.5,
        guard: { action: "lower", rewardTolerance: 0.01, maxSilenceRate: 0.2 },
      },
    },
  ],
  [
    "costs and budgets of one's own naming",
    {
      costs: {
        tokens: { kind: "tokens-written" },
        heard: { kind: "tokens-read", from: "hint" },
        again: { kind: "repetition", n: 1, of: "characters", against: "episode" },
        long: { kind: "overlong", maxTokens: 3, margin: 2, by: "solver" },
        turns: { kind: "turns", count: "all" },
      },
      prices: { again: 0.1, long: 0.2, turns: 0.05 },
      budget: { targetTokens: 3, learningRate: 0.01 },
      budgets: { heard: { targetTokens: 1, learningRate: 0.02 } },
    },
    "star",
  ],
  ["an old policy of two steps", { refreshOldPolicyEvery: 2 }],
  ["the sampler's log-probs", { oldLogProbs: "sampler" }],
  ["rollouts ahead of the optimiser", { asynchronous: { maxLag: 2, importanceCap: 1.5 }, minibatches: 1 }],
];

// A name that the audit lacks is taken for a user's own value, so that nothing else would say that its arithmetic is not checked.
test("every built-in objective and estimator is among them", () => {
  const settings = variants.flatMap(
    ([, { objective, advantage }]) => [objective, advantage] as (Settings | undefined)[],
  );
  const tried = new Set(settings.flatMap((each) => [each?.["name"], each?.["estimator"]]));
  expect([...objectiveNames, ...estimatorNames, "decoupled"].filter((name) => !tried.has(name))).toEqual([]);
});

test.each(variants)("%s: no arithmetic differs", async (_, settings, team = "solo") => {
  const directory = join(await temporaryFolder(), "run");
  const parts = team === "tools" ? tinyToolParts(tinyParts()) : tinyParts(team);
  await tinyRun({ directory, settings: { ...few, ...settings }, parts });
  const report = await auditRun(directory, { fast: true, now: () => performance.now() });
  expect(report.differences.slice(0, 5)).toEqual([]);
  const aside = /^metric (?:sampling|queue|language|actor\/(?:tokens|rows|shared))|^evaluation's language$/;
  const left = report.notAuditable.map(({ what }) => what).filter((what) => !aside.test(what));
  expect(left).toEqual(["grades", "test problems", "weights, gradient norms and log-probs"]);
  expect(report.compared["loss"]).toBeGreaterThan(0);
});

test.each<[string, Settings]>([
  ["groups", {}],
  ["decoupled", { advantage: { estimator: "decoupled", costs: "z-score", batch: "sequence" } }],
  ["a price of its own", { policies: { policy: { prices: { tokens: 0.05 } } } }],
])("a reward below zero, sometimes without a score, %s: no arithmetic differs", async (_, settings) => {
  let asked = 0;
  const reward: Reward = ({ answer }, { gold }) =>
    asked++ % 7 === 3 ? { undecided: "busy" } : { win: answer === gold ? 1 : -1, style: (answer ?? "").length / 10 };
  const directory = join(await temporaryFolder(), "run");
  const priced = { ...few, prices: { tokens: 0.05 }, ...settings };
  await tinyRun({ directory, settings: priced, parts: { ...tinyParts(), reward } });
  const report = await auditRun(directory, { fast: true, now: () => performance.now() });
  expect(report.differences.slice(0, 5)).toEqual([]);
  expect(report.compared["advantage"]).toBeGreaterThan(0);
});

const tree = {
  groupBy: "tree-node",
  objective: { name: "magrpo" },
  tree: { mode: "aligned", gamma: 0.9, stopAbove: null },
};

test.each([
  ["one turn", tree, 1],
  [
    "two turns, every joint reply",
    { ...tree, tree: { mode: "cross", gamma: 0.5, stopAbove: 0.7 }, episodesPerProblem: 2 },
    2,
  ],
  ["a policy with prices of its own", { ...tree, policies: { first: { prices: { tokens: 0.3 } } } }, 1],
  [
    "policies that learn otherwise",
    {
      objective: { name: "grpo" },
      policies: {
        first: { budget: { targetTokens: 1, learningRate: 0.05 }, advantage: { estimator: "rloo" } },
        second: { objective: { name: "gspo", clip: { low: 0.01, high: 0.01 } } },
      },
    },
    1,
  ],
] as const)("a pair, %s: no arithmetic differs", async (_, settings, turns) => {
  const directory = join(await temporaryFolder(), "run");
  await tinyRun({ directory, settings: { ...few, ...settings }, parts: tinyPairParts(turns) });
  const report = await auditRun(directory, { fast: true, now: () => performance.now() });
  expect(report.differences.slice(0, 5)).toEqual([]);
  expect(report.compared["advantage"]).toBeGreaterThan(0);
});

test("a run that goes on in another process is one run", async () => {
  const directory = join(await temporaryFolder(), "run");
  const settings = { ...few, budget: { targetTokens: 2, learningRate: 0.05 }, prices: {} };
  await tinyRun({ directory, settings: { ...settings, steps: 2 } });
  const adjustable = { steps: "" };
  await tinyRun({ directory, settings, resume: true, adjustable });
  const report = await auditRun(directory, { fast: true, now: () => performance.now() });
  expect(report).toMatchObject({ agrees: true, steps: [1, 4] });
});
