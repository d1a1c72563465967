import { runSpec, type RunSpecOptions } from "./spec/run-spec.ts";
import { LaconicError, type Estimator, type Objective, type Problem, type Reward } from "@laconic/core";
import { gspo } from "@laconic/gspo";
import { answerOf, graphTopology, type AgentSpec, type TrainingTask } from "@laconic/topologies";
import { describe, expect, test } from "vitest";
import type { Credit } from "./settings/credit.ts";
import { parseTrainConfig } from "./settings/parse-train-config.ts";
import { checkTraining } from "./spec/check-training.ts";
import { onlyPolicy, type TrainedPolicy, type TrainingParts } from "./spec/parts.ts";
import { tinyParts, tinySettings } from "./testing/index.ts";
import { train } from "./train.ts";

const parts = tinyParts();
const { task } = parts;
const policy = parts.policies[onlyPolicy] as TrainedPolicy;
const objective = gspo({ clip: { low: 0.2, high: 0.2 } });

async function thrown(mistaken: Partial<RunSpecOptions>, settings: object = {}): Promise<unknown> {
  const config = parseTrainConfig({
    ...tinySettings,
    prices: {},
    steps: 2,
    groupBy: "prompt+agent",
    ...settings,
    ...mistaken.settings,
  });
  const whole = { ...tinyParts(), ...mistaken };
  const check = async (): Promise<unknown> => {
    checkTraining(whole, config);
    return train(runSpec({ ...whole, settings: config }));
  };
  return check().catch((error: unknown) => error);
}

const mismatches: readonly (readonly [what: string, value: unknown, said: RegExp])[] = [
  ["nothing", undefined, /undefined/u],
  ["null", null, /null/u],
  ["a number", 3, /3/u],
  ["a text", "up", /"up"/u],
  ["a list of texts", ["a"], /a list|"a"/u],
  ["a promise", Promise.resolve("late"), /returned a promise; it must be synchronous|"late"/u],
  ["an empty object", {}, /undefined|an object/u],
];

const throws = (): never => {
  throw new TypeError("x is undefined");
};

async function expectNamed(error: unknown, name: string, said: RegExp): Promise<void> {
  expect(LaconicError.is(error), String(error)).toBe(true);
  const { message, code } = error as LaconicError;
  expect(message).toContain(name);
  expect(message).toMatch(said);
  expect(["input_invalid", "reward_invalid", "scoring_failed"]).toContain(code);
}

describe("an estimator", () => {
  const of = (estimate: unknown): Promise<unknown> =>
    thrown({ settings: { advantage: { name: "mine", settings: {}, estimate } as Estimator } });

  test("that gives an advantage per token needs an objective that takes them, which is known before the first episode", () => {
    const check = (name: string): void =>
      checkTraining(
        parts,
        parseTrainConfig({ ...tinySettings, advantage: { estimator: "reinforce++" }, objective: { name } }),
      );
    expect(() => check("gspo")).toThrow(/gspo takes one advantage per sequence.*reinforce\+\+ gives one per token/u);
    expect(() => check("gspo-token")).not.toThrow();
    expect(() => check("grpo")).not.toThrow();
  });

  const name = "step 1: the estimator mine";

  test.each([
    ...mismatches,
    ["a short list", [1, 2], /gave 2 advantages for 48 rows/u],
    ["a short list as advantages", { advantages: [1, 2] }, /gave 2 advantages for 48 rows/u],
    ["a list of texts as advantages", { advantages: ["a"] }, /gave a list as advantages, expected a list of numbers/u],
    ["too few", { advantages: new Float64Array(2) }, /gave 2 advantages for 48 rows/u],
    ["NaN", { advantages: new Float64Array(48).fill(Number.NaN) }, /gave the advantage NaN at row 0/u],
    ["odd diagnostics", { advantages: new Float64Array(48), diagnostics: { mine: 1 } }, /gave 1 as diagnostics.mine/u],
  ] as const)("that gives %s", async (_, value, said) => expectNamed(await of(() => value), name, said));

  test("that throws", async () => expectNamed(await of(throws), name, /threw TypeError: x is undefined/u));

  test("that is a function and gives a list of texts", async () => {
    const aboveZero = (({ rewards }: { rewards: Float64Array }) => [...rewards].map(String)) as never;
    await expectNamed(
      await thrown({ settings: { advantage: aboveZero } }),
      "step 1: the estimator aboveZero",
      /gave a list as advantages/u,
    );
  });
});

describe("an objective", () => {
  const of = (evaluate: unknown): Promise<unknown> =>
    thrown({ settings: { objective: { ...objective, name: "mine", evaluate } as Objective } });
  const name = "step 1: the objective mine";

  test.each(mismatches)("that gives %s", async (_, value, said) => expectNamed(await of(() => value), name, said));

  test.each([
    [
      "no diagnostics",
      { diagnostics: undefined },
      /gave undefined as diagnostics, expected statistics by name; \{\} for none/u,
    ],
    ["a list as gradient", { gradient: [1] }, /gave a list as gradient, expected a Float64Array/u],
    ["a short gradient", { gradient: new Float64Array(1) }, /gave a gradient of 1 numbers for \d+ tokens/u],
    ["a loss that is not finite", { loss: Number.NaN }, /gave NaN as loss, expected a finite number/u],
  ])("that gives %s", async (_, changed, said) =>
    expectNamed(await of((input: never) => ({ ...objective.evaluate(input), ...changed })), name, said),
  );

  test("that throws", async () => expectNamed(await of(throws), name, /threw TypeError: x is undefined/u));
});

describe("a reward", () => {
  test.each([
    [
      "an agent that nobody is",
      { team: { task: 1 }, agents: { slover: { win: 1 } } },
      /the unknown agent "slover"; did you mean solver\?/u,
    ],
    ["a text", "good", /got "good", expected terms/u],
    [
      "a turn that is none",
      { team: { task: 1 }, turns: { 7: { tool: 1 } } },
      /terms to turn 7, but the episode has the turns 0/u,
    ],
    ["a grade above 1", { task: 7 }, /term task: got 7/u],
    ["a term that is a promise", { task: Promise.resolve(1) }, /term task: got a Promise/u],
    ["nothing", undefined, /got undefined, expected terms/u],
  ])("that gives %s", async (_, value, said) =>
    expectNamed(await thrown({ settings: { reward: (() => value) as unknown as Reward } }), "", said),
  );

  test("names a stranger in training only, and rarely", async () => {
    let calls = 0;
    const reward: Reward = () => ({ team: { task: 1 }, ...(++calls === 90 && { agents: { nobody: { win: 1 } } }) });
    await expectNamed(await thrown({ settings: { reward } }), "step 2", /gives terms to the unknown agent "nobody"/u);
  });

  test("that throws", async () => expectNamed(await thrown({ settings: { reward: throws } }), "", /x is undefined/u));
});

describe("a reward of groups", () => {
  const of = (given: unknown): Promise<unknown> => thrown({ settings: { groupReward: (() => given) as never } });

  test.each([
    ["nothing", undefined, /step 1: the group reward gave undefined, expected a list/u],
    ["too few", [{ rank: 1 }], /step 1: the group reward gave 1 rewards for 8 episodes/u],
    ["texts", Array.from({ length: 8 }, () => "good"), /got "good", expected terms/u],
    [
      "an agent that nobody is",
      Array.from({ length: 8 }, () => ({ team: {}, agents: { slover: { win: 1 } } })),
      /did you mean solver\?/u,
    ],
  ])("that gives %s", async (_, given, said) => expectNamed(await of(given), "", said));

  test("that throws", async () =>
    expectNamed(await thrown({ settings: { groupReward: throws } }), "", /x is undefined/u));

  test.each([
    [{ credit: { kind: "difference" } }, "credit"],
    [{ advantage: { estimator: "remax" } }, "advantage"],
  ])("cannot go with %j", async (settings, key) => {
    expect(await thrown({ settings: { groupReward: () => [] } }, settings)).toFailWith("config_invalid", { key });
  });
});

describe("a credit", () => {
  const none = (): Map<number, number> => new Map();
  test.each([
    ["no plan", { changes: [] }, /expected \{ changes, credits \}/u],
    [
      "many replays",
      { changes: Array.from({ length: 65 }, () => ({})), credits: none },
      /for 65 replays .* at most 64/u,
    ],
    ["an unknown agent", { changes: [{ silent: ["x"] }], credits: none }, /unknown agent "x"/u],
    ["an object as credits", { changes: [], credits: () => ({ 0: 1 }) }, /a Map from turn to number/u],
    ["a text", { changes: [], credits: () => new Map([[0, "much"]]) }, /gave the credit "much" to turn 0/u],
  ])("that gives %s", async (_, plan, said) => {
    const settings = { credit: (() => plan) as unknown as Credit };
    await expectNamed(await thrown({ ...tinyParts("star"), settings }), "", said);
  });
});

describe("a grouping", () => {
  test("rejects a key that is not a text", async () => {
    const error = await thrown({ settings: { groupBy: () => Number.NaN } });
    await expectNamed(error, "step 1: the grouping", /gave NaN for turn 0, expected a text or a number/u);
  });

  test("rejects a key that a whole trajectory cannot share", async () => {
    const error = await thrown({ settings: { groupBy: () => 1 } }, { groupBy: "prompt", ratioUnit: "trajectory" });
    expect(error).toFailWith("config_invalid", { key: "ratioUnit" });
  });
});

function teamWith(change: Partial<AgentSpec>, answer: unknown = answerOf("solver")): Partial<TrainingParts> {
  const solver: AgentSpec = {
    id: "solver",
    role: "answers",
    maxTokens: 4,
    prompt: ({ question }) => ({ kind: "text", text: question }),
    ...change,
  };
  const topology = graphTopology({ name: "own", agents: [solver], rounds: 1, answer: answer as never });
  return { task: { ...task, topology } };
}

describe("a team", () => {
  const prompts = [
    ...mismatches.filter(([what]) => !["a text", "a list of texts"].includes(what)),
    ["a kind that is none", { kind: "chat" }, /an object/u],
  ] as const;
  test.each(prompts)("rejects a prompt that is %s", async (_, value, said) => {
    const error = await thrown(teamWith({ prompt: (() => value) as never }));
    await expectNamed(error, 'evaluation at step 0: agent "solver": its prompt', said);
  });

  test("asks with a prompt that is a text", async () => {
    const asked = async (prompt: AgentSpec["prompt"]): Promise<unknown> => {
      const { settings, policies } = { settings: parseTrainConfig({ ...tinySettings, steps: 1 }), ...tinyParts() };
      return train(runSpec({ ...teamWith({ prompt }), policies, settings } as RunSpecOptions));
    };
    const [plain, whole] = [
      await asked(({ question }) => question),
      await asked(({ question }) => ({ kind: "text", text: question })),
    ];
    expect(plain).toEqual(whole);
  });

  test("rejects a prompt that throws", async () => {
    await expectNamed(await thrown(teamWith({ prompt: throws })), 'agent "solver": its prompt', /threw TypeError/u);
  });

  test.each(mismatches.filter(([what]) => what !== "null"))(
    "rejects an answer rule that chooses %s",
    async (_, value, said) => {
      const error = await thrown(teamWith({}, { name: "mine", agents: ["solver"], choose: () => value }));
      await expectNamed(error, "evaluation at step 0: the answer rule mine", said);
    },
  );

  test.each(mismatches.filter(([what]) => what !== "a promise"))(
    "rejects a topology whose run returns %s",
    async (_, value, said) => {
      const topology = { ...task.topology, name: "own", run: async () => value } as never;
      await expectNamed(
        await thrown({ task: { ...task, topology } }),
        "evaluation at step 0: the topology own: run",
        said,
      );
    },
  );
});

describe("a model", () => {
  test.each(mismatches.filter(([what]) => what !== "a promise"))("that replies with %s", async (_, value, said) => {
    const speak = () => ({ id: "own", complete: async () => value }) as never;
    const error = await thrown({ policies: { [onlyPolicy]: { ...policy, speak } } });
    await expectNamed(error, 'evaluation at step 0: agent "solver": its model', said);
  });
});

describe("a task", () => {
  const withProblems = (given: Partial<TrainingTask>): Partial<TrainingParts> => ({ task: { ...task, ...given } });

  test.each([...mismatches, ["none", [], /gave none of the \d+ that were asked for/u]] as const)(
    "rejects problems that are %s",
    async (_, value, said) =>
      expectNamed(
        await thrown(withProblems({ problems: (() => value) as never })),
        "the task tiny-solo: problems",
        said,
      ),
  );

  test.each(["testProblems", "pool"] as const)("rejects a %s that has a problem without a question", async (key) => {
    const list = [{ id: "a", gold: "x" }] as unknown as Problem[];
    const error = await thrown(withProblems({ [key]: list }));
    await expectNamed(
      error,
      `the task tiny-solo: ${key}`,
      /gave an object at 0, whose question is undefined, not a text/u,
    );
  });

  test("rejects problems that throw", async () => {
    await expectNamed(
      await thrown(withProblems({ problems: throws })),
      "the task tiny-solo: problems",
      /threw TypeError/u,
    );
  });
});
