import { ragged, statisticMean, type ObjectiveInput } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { cispo, groupAdvantages, groupIndex, grpo, gspo, jointReplies, maxRl, opo, rloo, unitIndex } from "./index.ts";
import { estimatorPreset, estimatorShape, objectivePreset, objectiveShape } from "./presets/index.ts";
import { goldenInput } from "./testing/index.ts";
import { refusal } from "./testing/refusal.ts";

const input = (logProbs: number[][], advantages: number[]): ObjectiveInput => ({
  logProbs: ragged(logProbs),
  oldLogProbs: ragged(logProbs),
  advantages: Float64Array.from(advantages),
});

describe("settings that are another algorithm, without effect, or count twice", () => {
  test.each([
    ["TRL #3823: gspo under a token normaliser", () => gspo({ aggregation: "token-mean" })],
    [
      "token-level weights on a sequence objective",
      () => gspo({ importance: { kind: "truncate", level: "token", cap: 2 } }),
    ],
    ["cispo counts the ratio twice", () => cispo({ importance: { kind: "truncate", level: "token", cap: 2 } })],
  ])("%s", (_, body) => expect(refusal(body).code).toBe("objective_refused"));
  test("MARTI: importance weights that are 1 everywhere count the sampler twice or not at all", () => {
    const objective = gspo({ importance: { kind: "truncate", level: "sequence", cap: 2 } });
    const { oldLogProbs } = goldenInput;
    const same = { ...oldLogProbs, values: oldLogProbs.values.slice() };
    expect(refusal(() => objective.evaluate({ ...goldenInput, rollLogProbs: same })).code).toBe("objective_refused");
    const moved = { ...same, values: same.values.with(3, -0.31) };
    expect(objective.evaluate({ ...goldenInput, rollLogProbs: moved }).diagnostics["sampling/ratio"]?.max).toBeCloseTo(
      Math.exp(0.01),
      12,
    );
  });
  test("a micro-batch of a few equal log-probs is chance; 64 equal ones are not", () => {
    const objective = gspo({ importance: { kind: "truncate", level: "sequence", cap: 2 } });
    const part = (length: number): ObjectiveInput => {
      const logProbs = ragged([Array.from({ length }, () => -1)]);
      const base = { logProbs, oldLogProbs: logProbs, rollLogProbs: logProbs, advantages: Float64Array.of(1) };
      return { ...base, totals: { sequences: 2, tokens: 100 } };
    };
    expect(objective.evaluate(part(63)).loss).toBeCloseTo(-0.5, 12);
    expect(refusal(() => objective.evaluate(part(64))).code).toBe("objective_refused");
  });
  test.each([
    [() => grpo({ dualClip: 1.1 }), "dualClip"],
    [() => grpo({ maxRatio: 1 }), "maxRatio"],
    [() => grpo({ constantLength: 8 }), "constantLength"],
    [() => grpo({ aggregation: "seq-mean-token-sum-norm" }), "constantLength"],
    [() => gspo({ clip: { low: 0, high: 0.1 } }), "clip.low"],
    [() => gspo({ kl: { estimator: "k1", coefficient: 0.1 } }), "k1"],
    [() => gspo({ kl: { estimator: "k3", coefficient: 0 } }), "kl.coefficient"],
    [() => grpo({ kl: { estimator: "k3", coefficient: 0.1, biasCorrection: true } }), "gradient is biased"],
    [() => grpo({ kl: { estimator: "k2", coefficient: 0.1, biasCorrection: true } }), "value is biased"],
    [() => grpo({ kl: { estimator: "k1", coefficient: 0.1, biasCorrection: true } }), "k1"],
    [() => objectivePreset("reinforce", { clip: { low: 0.1, high: 0.1 } }), "clip"],
    [() => groupAdvantages([1], [0], { scale: "none", epsilon: 1e-6 }), "epsilon"],
  ])("%#", (body, named) => {
    const { code, message } = refusal(body);
    expect(code).toBe("config_invalid");
    expect(message).toContain(named);
  });
});

describe("values of plain JavaScript", () => {
  // `never` fits any type.
  const untyped = (value: unknown): never => value as never;
  const items = [{ problem: 0, episode: 0, agent: "a", turn: 0 }];
  const kl = (estimator: string): never => untyped({ estimator, coefficient: 0.1 });
  const importance = (kind: string, level: string): never => untyped({ kind, level, cap: 2 });
  test.each([
    [
      () => groupAdvantages([1, 0], [0, 0], untyped({ scale: "grp" })),
      'advantage: scale is "grp", expected none, group, batch',
    ],
    [() => groupAdvantages([1, 0], [0, 0], untyped({ scale: "group", std: "pop" })), "advantage: std"],
    [() => groupAdvantages([1, 0], [0, 0], untyped({ scale: "group", epsilonForm: "max" })), "advantage: epsilonForm"],
    [
      () => groupAdvantages([1, 0], [0, 0], untyped({ scale: "group", epsilon: "1e-6" })),
      'epsilon is "1e-6", expected >= 0',
    ],
    [() => grpo({ aggregation: untyped("token_mean") }), "token-mean"],
    [() => gspo({ kl: kl("k4") }), "kl.estimator"],
    [() => gspo({ importance: importance("tis", "sequence") }), "importance.kind"],
    [() => gspo({ importance: importance("truncate", "seq") }), "importance.level"],
    [() => objectivePreset(untyped("gspoo")), 'objective is "gspoo"'],
    [() => estimatorPreset<"rloo">(untyped("gruop"), {}), 'estimator is "gruop"'],
    [() => objectiveShape(untyped("ppo")), "objective"],
    [() => estimatorShape(untyped("gae")), "estimator"],
    [() => groupIndex(items, untyped("agent")), "prompt+agent"],
    [() => unitIndex(items, untyped("episode")), "ratio unit"],
    [() => jointReplies(2, 2, untyped("align")), "aligned, cross"],
  ])("an unknown choice is rejected by name: %#", (body, named) => {
    const { code, message } = refusal(body);
    expect(code).toBe("config_invalid");
    expect(message).toContain(named);
  });
  test.each([["0.5"], [undefined], [null], [true]])(
    "a reward that is no number, %j, is refused with its row",
    (value) => {
      for (const estimate of [rloo, maxRl, opoOfOne])
        expect(refusal(() => estimate(untyped([1, value]), [0, 0])).message).toContain("reward 1 is ");
      expect(refusal(() => groupAdvantages(untyped([1, value]), [0, 0], { scale: "none" })).code).toBe(
        "reward_invalid",
      );
    },
  );
  test("lists that are not packed, and advantages that are not there, are named", () => {
    const whole = input([[-1]], [1]);
    const { advantages: _, ...rest } = whole;
    expect(refusal(() => gspo().evaluate({ ...whole, logProbs: untyped([[-1]]) })).message).toContain("logProbs");
    expect(refusal(() => gspo().evaluate(untyped(rest))).message).toContain("advantages: no values");
  });
});

function opoOfOne(rewards: ArrayLike<number>, groups: ArrayLike<number>): void {
  opo(
    rewards,
    groups,
    Array.from(rewards, () => 1),
  );
}

describe("values that are not numbers", () => {
  test("an infinite reward names its row; NaN means not applicable", () => {
    expect(refusal(() => rloo([1, Infinity], [0, 0])).message).toContain("reward 1");
    const { advantages, diagnostics } = groupAdvantages([1, NaN, 0], [0, 0, 0], { scale: "none" });
    expect([...advantages]).toEqual([0.5, 0, -0.5]);
    expect(diagnostics["rewards/not_applicable"]?.sum).toBe(1);
  });
  test("log-ratios are clamped and counted", () => {
    const { diagnostics } = grpo().evaluate({
      logProbs: ragged([[-1]]),
      oldLogProbs: ragged([[-60]]),
      advantages: Float64Array.of(-1),
    });
    expect(diagnostics["ratio_clamped"]?.sum).toBe(1);
  });
});

describe("degenerate groups", () => {
  test("verl and SkyRL give a group of one its raw reward; here it is 0 and counted", () => {
    const { advantages, diagnostics } = groupAdvantages([5, 1, 0], [0, 1, 1], { scale: "group" });
    expect(advantages[0]).toBe(0);
    expect(diagnostics["groups/size_one"]?.sum).toBe(1);
  });
  test("equal rewards give exactly 0, not divided rounding noise", () => {
    const third = 1 / 3;
    const { advantages, diagnostics } = groupAdvantages([third, 1 - 2 / 3, third], [0, 0, 0], { scale: "group" });
    expect([...advantages]).toEqual([0, 0, 0]);
    expect(statisticMean(diagnostics["frac_reward_zero_std"] as never)).toBe(1);
  });
  test("empty sequences leave N and are counted", () => {
    const { loss, diagnostics } = gspo().evaluate(input([[-1], []], [1, -1]));
    expect(loss).toBe(-1);
    expect(diagnostics["empty_sequences"]?.sum).toBe(1);
  });
});

describe("totals that cannot be the batch of this input", () => {
  test.each([
    [{ sequences: 0, tokens: 3 }],
    [{ sequences: 2, tokens: 0 }],
    [{ sequences: 1, tokens: 9 }],
    [{ sequences: 3, tokens: 3 }], // all tokens are here, so all sequences are
    [{ sequences: NaN, tokens: 3 }],
  ])("%j", (totals) => {
    const { code, message } = refusal(() => gspo().evaluate({ ...input([[-1], [-1, -2]], [1, 1]), totals }));
    expect(code).toBe("input_invalid");
    expect(message).toContain("totals");
  });
  test("prompt-mean of a part of the batch: a group's other tokens are unknown", () => {
    const objective = grpo({ aggregation: "prompt-mean" });
    const part = { ...input([[-1], [-1, -2]], [1, 1]), groups: Int32Array.of(0, 0) };
    expect(objective.evaluate({ ...part, totals: { sequences: 2, tokens: 3, groups: 1 } }).loss).toBe(-1);
    const { code, message } = refusal(() =>
      objective.evaluate({ ...part, totals: { sequences: 4, tokens: 6, groups: 2 } }),
    );
    expect(code).toBe("input_invalid");
    expect(message).toContain("prompt-mean");
    for (const ungrouped of [input([[-1], [-1, -2]], [1, 1]), { ...part, totals: { sequences: 2, tokens: 3 } }])
      expect(refusal(() => objective.evaluate(ungrouped)).message).toContain("needs the group of each sequence");
  });
});

test.each([
  ["prompt+agent", { problem: "p" }, "agent"],
  ["prompt+agent+turn", { problem: "p", agent: "a" }, "turn"],
  ["tree-node", { problem: "p", agent: "a", turn: 0 }, "node"],
] as const)("groups by %s refuse an item without its coordinate", (key, item, missing) => {
  const { code, message } = refusal(() => groupIndex([{ problem: "p", agent: "a", turn: 0, node: 0 }, item], key));
  expect(code).toBe("input_invalid");
  expect(message).toContain(`item 1 has no ${missing}`);
});

test("group keys: each adds a coordinate", () => {
  const items = [
    { problem: "p", agent: "a", turn: 0, node: "x" },
    { problem: "p", agent: "a", turn: 1, node: "x" },
    { problem: "p", agent: "b", turn: 0, node: "y" },
  ];
  expect([...groupIndex(items, "prompt")]).toEqual([0, 0, 0]);
  expect([...groupIndex(items, "prompt+agent")]).toEqual([0, 0, 1]);
  expect([...groupIndex(items, "prompt+agent+turn")]).toEqual([0, 1, 2]);
  expect([...groupIndex(items, "tree-node")]).toEqual([0, 0, 1]);
});
