import { changesOf, type ObjectiveSettings } from "@laconic/trainer";
import { objectiveNames } from "@laconic/gspo/presets";
import {
  agentGspo,
  agentPoHint,
  agentPoHintPrinted,
  magrpo,
  relayQuickstart,
  relayWriters,
  storyTellers,
} from "@laconic/tasks/presets";
import { describe, expect, test } from "vitest";
import { applyOverrides, parseAppConfig, writtenConfig } from "../run/app-config.ts";
import { factorsOf, candidatesOf } from "./choose-variants.ts";

const of = (written: object, price: number | null = null) =>
  Object.fromEntries(
    candidatesOf(parseAppConfig(written), price).map((candidate) => [
      candidate.name,
      "reason" in candidate ? candidate.reason : candidate.overrides,
    ]),
  );

test("the quickstart's variants are what its page measured", () => {
  expect(of(relayQuickstart)).toEqual({
    "no-price": ["train.budget=null", "train.budgets={}", "train.prices={}"],
    "fixed-price-half": "no price to derive it from; set one with --price",
    "fixed-price": "no price to derive it from; set one with --price",
    "fixed-price-double": "no price to derive it from; set one with --price",
    "no-group-normalisation": ['train.advantage={"estimator":"raw"}'],
    "eq2-as-printed": ['train.advantage={"estimator":"group","scale":"group","std":"sample","epsilon":0.000001}'],
    grpo: ['train.objective={"name":"grpo","clip":{"low":0.2,"high":0.2}}'],
    kl: [
      'train.objective={"name":"gspo","clip":{"low":0.03,"high":0.04},"minLength":1,"kl":{"estimator":"k3","coefficient":0.04}}',
    ],
    "no-kl": "the objective has no KL term already",
  });
  const priced = of(relayQuickstart, 0.004);
  const prices = ["fixed-price-half", "fixed-price", "fixed-price-double"].map((name) => priced[name]?.at(-1));
  expect(prices).toEqual(["train.prices.tokens=0.002", "train.prices.tokens=0.004", "train.prices.tokens=0.008"]);
});

test("separate settings of a policy change too", () => {
  const train = {
    ...relayQuickstart.train,
    policies: { shared: { objective: { name: "gspo" }, prices: { turns: 0.1 } } },
  };
  const variants = of({ ...relayQuickstart, train });
  expect(variants["kl"]).toContain("a custom objective");
  expect(variants["grpo"]).toContain('train.policies.shared.objective={"name":"grpo","clip":{"low":0.2,"high":0.2}}');
  expect(variants["no-price"]).toContain("train.policies.shared.prices={}");
  const budget = { targetTokens: 10, learningRate: 1e-5 };
  const own = of({ ...relayQuickstart, train: { ...train, policies: { shared: { budget } } } });
  expect(own["no-price"]).toContain("policy shared has its own budget");
});

test("without a budget its display to the agents goes too", () => {
  const shown = of({ ...agentGspo, task: { ...agentGspo.task, showBudget: true } });
  expect(shown["no-price"]).toContain("task.showBudget=false");
});

describe("grpo against any objective", () => {
  const kl = { estimator: "k3", coefficient: 0.03 };
  const importance = { kind: "truncate", level: "sequence", cap: 2 };

  const own: Readonly<Record<string, object>> = {
    cispo: { maxRatio: 5, aggregation: "prompt-mean" },
    dapo: { dualClip: 10 },
    "dr-grpo": { constantLength: 8 },
    gspo: { clip: { low: 0.03, high: 0.04 }, minLength: 2 },
    sapo: { aggregation: "seq-mean-token-sum-norm", constantLength: 8, positiveTemperature: 2 },
  };
  const retained: Readonly<Record<string, object>> = {
    cispo: { aggregation: "prompt-mean" },
    dapo: { dualClip: 10 },
    sapo: { aggregation: "seq-mean-token-sum-norm", constantLength: 8 },
  };

  test.each(objectiveNames)("keeps the further settings of %s, of the run and of a policy", (name) => {
    // Their weights are ones of importance already.
    const common = { kl, offPolicyMask: 0.5, ...(!["cispo", "vespo"].includes(name) && { importance }) };
    const objective = { name, ...common, ...own[name] };
    const train = {
      ...relayWriters.train,
      objective,
      oldLogProbs: "recompute",
      policies: { first: { objective } },
    };
    const config = parseAppConfig({ ...relayWriters, train });
    const grpo = candidatesOf(config, null).find((candidate) => candidate.name === "grpo");
    if (!grpo || "reason" in grpo) throw new Error("there is no such variant");
    const varied = parseAppConfig(applyOverrides({ ...relayWriters, train }, grpo.overrides));
    const aggregation = name === "reinforce" ? "token-mean" : "seq-mean-token-mean";
    const ratios = { name: "grpo", clip: { low: 0.2, high: 0.2 }, aggregation };
    const expected = { ...ratios, ...common, kl: { ...kl, biasCorrection: false }, ...retained[name] };
    expect(varied.train.objective).toEqual(expected);
    expect(varied.train.policies["first"]?.objective).toEqual(expected);
    expect(grpo.about).toMatch(/; kl, .*as before/u);
    expect({ ...varied.train, objective, policies: config.train.policies }).toEqual({ ...config.train, objective });
  });
});

const withKl = [
  ["story-tellers", storyTellers],
  ["agentpo-printed", agentPoHintPrinted],
] as const;

test.each(withKl)("only the named variant of %s omits a KL term", (_, preset) => {
  const { kl } = parseAppConfig(preset).train.objective as ObjectiveSettings;
  const replaced = candidatesOf(parseAppConfig(preset), null).flatMap((candidate) =>
    "reason" in candidate ? [] : candidate.overrides.map((word) => [candidate.name, word] as const),
  );
  const objectives = replaced.filter(([, word]) => word.startsWith("train.objective="));
  expect([kl === undefined, objectives.length]).toEqual([false, 2]);
  for (const [name, word] of objectives)
    expect("kl" in JSON.parse(word.slice("train.objective=".length)), name).toBe(name !== "no-kl");
});

test.each([
  ["quickstart", relayQuickstart],
  ["agent-gspo", agentGspo],
  ["agentpo", agentPoHint],
  ["magrpo", magrpo],
  ["writers", relayWriters],
  ...withKl,
] as const)("variants of %s change one factor each", (_, preset) => {
  const before = writtenConfig(parseAppConfig(preset));
  const factors = candidatesOf(parseAppConfig(preset), 0.004).flatMap((candidate) => {
    if ("reason" in candidate) return [];
    try {
      const varied = parseAppConfig(applyOverrides({ ...preset }, candidate.overrides));
      return [[candidate.name, factorsOf(changesOf(before, writtenConfig(varied))).length]];
    } catch {
      return []; // a tree takes no other advantage than its own
    }
  });
  expect(factors.length).toBeGreaterThan(1);
  expect(factors.filter(([, count]) => (count as number) > 1)).toEqual([]);
});
