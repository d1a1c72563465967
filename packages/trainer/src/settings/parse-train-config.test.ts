import { LaconicError } from "@laconic/core";
import { expect, test } from "vitest";
import { agentGspoDefaults } from "./config.ts";
import { credits } from "./credit.ts";
import { parseTrainConfig } from "./parse-train-config.ts";
import { settingPaths, trainConfigSchema } from "./schema.ts";

function refusal(partial: unknown, location: readonly string[] = []): LaconicError {
  try {
    parseTrainConfig(partial, location);
  } catch (error) {
    if (LaconicError.is(error)) return error;
    throw error;
  }
  throw new Error("the configuration was accepted");
}

test("an empty configuration has the defaults; a partial group is completed", () => {
  expect(parseTrainConfig({})).toEqual(agentGspoDefaults);
  const { optimizer } = parseTrainConfig({ optimizer: { weightDecay: 0.1, learningRate: { peak: 1e-5 } } });
  expect(optimizer).toEqual({
    ...agentGspoDefaults.optimizer,
    weightDecay: 0.1,
    learningRate: { ...(agentGspoDefaults.optimizer.learningRate as object), peak: 1e-5 },
  });
});

test("an alternative has no defaults of another one", () => {
  expect(parseTrainConfig({ advantage: { estimator: "rloo" } }).advantage).toEqual({ estimator: "rloo" });
  expect(parseTrainConfig({ objective: { name: "reinforce" } }).objective).toEqual({
    name: "reinforce",
    aggregation: "token-mean",
  });
});

const tree = { mode: "aligned", gamma: 0.9, stopAbove: null };

test.each([
  [{ stepz: 3 }, "stepz", "did you mean steps?"],
  [{ optimizer: { learningrate: {} } }, "optimizer.learningrate", "did you mean optimizer.learningRate?"],
  [{ evaluation: { each: 3 } }, "evaluation.each", "use one of: every, problems, transcripts"],
  [{ objective: { name: "gspo", clp: {} } }, "objective.clp", "did you mean objective.clip?"],
  [{ budget: { targetTokens: 3, learningRate: 1, maxprice: 1 } }, "budget.maxprice", "did you mean budget.maxPrice?"],
  [{ advantage: { estimator: "group", scal: "none" } }, "advantage.scal", "did you mean advantage.scale?"],
  [{ costWhenTaskAtleast: 1 }, "costWhenTaskAtleast", "did you mean costWhenTaskAtLeast?"],
  [{ steps: -1, stepz: 3 }, "stepz", "did you mean steps?"],
  [{ optimizer: { costWhenTaskAtLeast: 1 } }, "optimizer.costWhenTaskAtLeast", "use one of: beta1, beta2"],
  [JSON.parse(`{"__proto__":{"costWhenTaskAtLeast":1}}`), "__proto__", "unknown setting"],
  [JSON.parse(`{"optimizer":{"__proto__":{}}}`), "optimizer.__proto__", "unknown setting"],
  [{ budget: { targetTokens: 0, learningRate: 0.1 } }, "budget.targetTokens", "a number above 0"],
  [{ budget: { targetTokens: -5, learningRate: 0.1 } }, "budget.targetTokens", "a number above 0"],
  [{ steps: 0 }, "steps", "a number from 1 on"],
  [{ steps: 1.5 }, "steps", "a whole number"],
  [{ epochs: 0 }, "epochs", "a number from 1 on"],
  [{ seed: NaN }, "seed", "it must be a text"],
  [{ sampling: { temperature: 0 } }, "sampling.temperature", "a number above 0"],
  [{ optimizer: { beta1: 1 } }, "optimizer.beta1", "a number below 1"],
  [{ checkpoint: { keep: 1 } }, "checkpoint.keep", "a number from 2 on"],
  [{ objective: { name: "ppo" } }, "objective.name", "gspo"],
  [{ problemsPerStep: 2, episodesPerProblem: 2, minibatches: 5 }, "minibatches", "5 parts of 4 episodes"],
  [{ episodesPerProblem: 1 }, "episodesPerProblem", "a group of one has advantage 0"],
  [
    { budget: { targetTokens: 9, learningRate: 0.1 }, prices: { tokens: 0.1 } },
    "prices.tokens",
    "has no effect with a budget",
  ],
  [
    { optimizer: { learningRate: { finalFraction: 0.1 } } },
    "optimizer.learningRate.finalFraction",
    "has no effect without a decay",
  ],
  [
    { optimizer: { learningRate: { decay: "cosine" } } },
    "optimizer.learningRate.decay",
    "cosine to the whole peak has no effect",
  ],
  [{ refreshOldPolicyEvery: 3 }, "checkpoint.every", "multiple of refreshOldPolicyEvery (3)"],
  [{ groupBy: "tree-node" }, "groupBy", "needs rollout trees"],
  [{ tree }, "groupBy", "needs rollout trees"],
  [{ tree, groupBy: "tree-node" }, "advantage", "group with scale none"],
  [{ credit: { kind: "difference" } }, "credit", "group by prompt+agent"],
  [{ credit: credits.message }, "credit", "agents get different rewards"],
  [{ policies: { a: { clip: 1 } } }, "policies.a.clip", "unknown setting"],
  [
    { earlyStopping: { patience: 2, minGain: 0 }, evaluation: { every: 0 } },
    "earlyStopping",
    "set evaluation.every above 0",
  ],
  [{ ratioUnit: "joint", groupBy: "prompt+agent" }, "ratioUnit", "use groupBy prompt"],
  [{ ratioUnit: "trajectory", groupBy: "prompt+agent+turn" }, "ratioUnit", "use groupBy prompt"],
  [
    {
      tree,
      groupBy: "tree-node",
      advantage: { estimator: "group", scale: "none" },
      prices: {},
      ratioUnit: "trajectory",
    },
    "ratioUnit",
    "use ratioUnit message or turn",
  ],
  [
    { objective: { name: "reinforce", clip: { low: 0.1, high: 0.1 } } },
    "objective.clip",
    "use one of: name, kl, importance, offPolicyMask, aggregation, constantLength",
  ],
  [{ advantage: { estimator: "rloo", scale: "none" } }, "advantage.scale", "use one of: estimator"],
  [{ costs: { read: { kind: "tokens-read", frm: "a" } } }, "costs.read.frm", "did you mean costs.read.from?"],
  [{ costs: { all: { kind: "turns", count: "none" } } }, "costs.all.count", "spoken"],
  [
    { budgets: { read: { targetTokens: 3, learningRate: 1 } }, prices: { read: 0.1 } },
    "prices.read",
    "has no effect with a budget",
  ],
  [
    { budget: { targetTokens: 3, learningRate: 1 }, budgets: { tokens: { targetTokens: 3, learningRate: 1 } } },
    "budgets.tokens",
    "is also set by budget",
  ],
])("%j is refused at %s: %s", (partial, key, reason) => {
  const error = refusal(partial);
  expect(error.code).toBe("config_invalid");
  expect(error.detail["key"]).toBe(key);
  expect(error.message).toContain(reason);
});

test("an option that the advantage would ignore is refused before anything runs", () => {
  const error = refusal({ advantage: { estimator: "group", scale: "none", std: "sample" } });
  expect(error.code).toBe("config_invalid");
  expect(error.message).toContain("no effect with scale none");
});

test("a key is named by its place in the larger configuration", () => {
  expect(refusal({ sampling: {} }, ["train"]).detail).toEqual({ key: "train.sampling.temperature" });
  expect(refusal({ minibatches: 999 }, ["train"]).detail).toEqual({ key: "train.minibatches" });
  expect(refusal({ stepz: 1 }, ["train"]).message).toContain("did you mean train.steps?");
});

test("no key reaches a prototype", () => {
  expect(refusal(JSON.parse(`{"constructor":{"prototype":{"x":1}}}`)).detail["key"]).toBe("constructor");
  expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
});

test("a configuration that is not an object is refused", () => {
  for (const wrong of [null, 3, "steps", []]) expect(refusal(wrong).code).toBe("config_invalid");
});

test("one number clips both sides, of the run and of a policy", () => {
  const objective = { name: "grpo", clip: 0.2 };
  const config = parseTrainConfig({ objective, policies: { a: { objective } } });
  const range = { name: "grpo", clip: { low: 0.2, high: 0.2 }, aggregation: "seq-mean-token-mean" };
  expect([config.objective, config.policies["a"]?.objective]).toEqual([range, range]);
  expect(() => parseTrainConfig({ objective: { name: "grpo", clip: -1 } })).toThrow(/objective\.clip\.low/u);
});

test("a name selects an alternative, and a number a range or a budget's target", () => {
  const config = parseTrainConfig({
    objective: "grpo",
    advantage: "rloo",
    credit: "shared",
    policies: { one: { objective: { name: "dapo", clip: 0.3 }, budget: { targetTokens: 9, learningRate: 1e-3 } } },
  });
  expect(config.objective.name).toBe("grpo");
  expect(config.advantage).toMatchObject({ estimator: "rloo" });
  expect(config.policies["one"]?.objective).toMatchObject({ name: "dapo", clip: { low: 0.3, high: 0.3 } });
  expect(() => parseTrainConfig({ budget: 20 })).toThrow(/^budget\.learningRate: it is missing/u);
});

test.each([
  [{ objective: "gppo" }, /objective.*did you mean gspo\?/u],
  [{ objective: "__proto__" }, /objective/u],
  [{ objective: 3 }, /objective/u],
  [{ credit: "sharing" }, /credit/u],
])("%j is rejected with what is accepted", (written, message) => {
  expect(() => parseTrainConfig(written)).toThrow(message);
});

test("paths name settings within alternatives and records", () => {
  expect(settingPaths(trainConfigSchema)).toEqual(
    expect.arrayContaining(["steps", "objective.kl.coefficient", "policies.*.budget.targetTokens", "credit.kind"]),
  );
});
