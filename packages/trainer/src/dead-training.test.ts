import { expect, test } from "vitest";
import { deadTrainingSchema, watchForDeadTraining, type DeadTrainingSigns } from "./dead-training.ts";

type Step = Readonly<Record<string, number>>;

const alive: Step = {
  "scoring/scored": 16,
  "task/accuracy": 0.4,
  frac_reward_zero_std: 0.5,
  "actor/grad_norm": 0.2,
  "actor/skipped_steps": 0,
  "actor/pg_clipfrac": 0,
  "replies/spoken": 60,
  "replies/cut": 6,
  "response_length/max": 32,
  "measures/calls/search": 0.5,
  "tokens/written/solver": 40,
  "tokens/read/solver": 20,
  "tokens/read/helper": 0,
};

/** Warnings by step. Entries override `alive`; undefined removes a metric. */
function warningsOf(
  steps: readonly Readonly<Record<string, number | undefined>>[],
  prefix = "",
  limits = {},
): (readonly [step: number, warning: string])[] {
  let signs: DeadTrainingSigns = {};
  return steps.flatMap((change, i) => {
    const named = Object.entries({ ...alive, ...change }).filter(([, value]) => value !== undefined) as [
      string,
      number,
    ][];
    const ofPolicy = /^(?:actor|response|replies|frac)/u;
    const metrics = named.map(([name, value]) => [ofPolicy.test(name) ? `${prefix}${name}` : name, value] as const);
    const step = { step: i + 1, ...Object.fromEntries(metrics) };
    const result = watchForDeadTraining(signs, step, { limits, problemsPerStep: 8 });
    // Restored from JSON, as after a resume.
    signs = deadTrainingSchema.parse(JSON.parse(JSON.stringify(result.signs)));
    return result.warnings.map((warning) => [i + 1, warning] as const);
  });
}

const times = <T>(n: number, value: T): T[] => Array.from({ length: n }, () => value);

test.each([
  ["cut", { "replies/cut": 60 }, 1, "all 60 replies of step 4 were cut at 32 tokens: raise the agents' maxTokens"],
  [
    "equal",
    { frac_reward_zero_std: 1, "actor/grad_norm": 0 },
    3,
    "in every group of the last 3 steps (to step 6) the rewards are equal, so nothing is learned; raise episodesPerProblem",
  ],
  ["no gradient", { "actor/grad_norm": 0 }, 3, "the gradient is zero in the last 3 steps (to step 6)"],
  ["clipped", { "actor/grad_norm": 0, "actor/pg_clipfrac": 1 }, 3, "all ratios are clipped: widen the clip"],
  [
    "no call",
    { "measures/calls/search": 0 },
    5,
    "no agent calls the tool search in the last 5 steps (to step 8); before, 8 calls per step",
  ],
  ["calls not counted", { "measures/calls/search": undefined }, 5, "no agent calls the tool search"],
  ["wrong", { "task/accuracy": 0 }, 5, "no answer is right in the last 5 steps (to step 8); before, 40.0 % were"],
  [
    "no message",
    { "tokens/read/solver": 0 },
    5,
    "no agent reads a message in the last 5 steps (to step 8); before, 20 tokens per step",
  ],
  ["no turn", { "tokens/written/solver": undefined }, 5, "the agent solver writes no token in the last 5 steps"],
])("%s: one warning, once the sign lasts, and one more after a recovery", (_, change, steps, words) => {
  const dead = times(20, change);
  const first = warningsOf([...times(3, {}), ...dead]);
  expect(first).toEqual([[3 + steps, expect.stringContaining(words)]]);
  expect(warningsOf([...times(3, {}), ...dead.slice(0, steps - 1), {}, ...dead.slice(0, steps - 1)])).toEqual([]);
  const again = warningsOf([...times(3, {}), ...dead, {}, ...dead, {}, ...dead]);
  // The earlier mean count is lower now, so a streak must be longer to be significant.
  expect(again.map(([step]) => step)).toEqual([3 + steps, expect.any(Number)]);
  expect(again[1]?.[0]).toBeGreaterThan(23);
});

test("names the policy, and the limits that are set", () => {
  const cut = { "replies/cut": 60 };
  expect(warningsOf([cut], "policy/helper/", { maxTurns: 3, maxTokensPerAgent: 32 })).toEqual([
    [
      1,
      "policy/helper: all 60 replies of step 1 were cut at 32 tokens: raise the agents' maxTokens or limits.maxTokensPerAgent",
    ],
  ]);
});

test.each([
  ["what was never there", times(30, { "measures/calls/search": 0, "task/accuracy": 0, "tokens/read/solver": 0 })],
  [
    "few right answers, which a few steps miss by chance",
    [...times(10, { "task/accuracy": 1 / 16 }), ...times(9, { "task/accuracy": 0 })],
  ],
  [
    "steps without a score",
    [...times(10, {}), ...times(9, { "scoring/scored": 0, "task/accuracy": 0, "measures/calls/search": 0 })],
  ],
  ["a gradient that is skipped", times(9, { "actor/grad_norm": 0, "actor/skipped_steps": 1 })],
  ["answers of a fixed length", times(9, { "replies/cut": 60, "task/accuracy": 0.9 })],
  [
    "a team that has learned its task",
    [...times(5, {}), ...times(30, { frac_reward_zero_std: 1, "task/accuracy": 0.97 })],
  ],
  [
    "few groups that are often equal",
    [...times(20, { frac_reward_zero_std: 0.95 }), ...times(20, { frac_reward_zero_std: 1 })],
  ],
  ["an estimator without groups", times(9, { frac_reward_zero_std: undefined })],
  ["a silent helper beside a solver that reads others", times(30, { "tokens/read/helper": 0 })],
])("does not warn of %s", (_, steps) => {
  expect(warningsOf(steps)).toEqual([]);
});

test("rewards that are equal from the start, and those of answers that became wrong, have their own advice", () => {
  const right = { frac_reward_zero_std: 1, "task/accuracy": 1 };
  expect(warningsOf(times(9, right))).toEqual([[3, expect.stringContaining("every answer is right: train on harder")]]);
  const wrong = { frac_reward_zero_std: 1, "task/accuracy": 0 };
  expect(warningsOf(times(9, wrong))).toEqual([[3, expect.stringContaining("no answer is right: train on easier")]]);
});
