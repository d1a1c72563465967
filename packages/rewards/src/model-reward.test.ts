import { ragged, type Problem, type Reward, type RewardContext, type ValueModel } from "@laconic/core";
import { scriptedEpisode } from "@laconic/core/testing";
import { describe, expect, test } from "vitest";
import { modelReward } from "./index.ts";
import { rewardCases } from "./testing/index.ts";

const problem: Problem = { id: "p", question: "6+9", gold: "15" };
const context: RewardContext = { signal: new AbortController().signal };
const encode = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));

/** Values a text by the sum of its tokens, and keeps how many came at a time. */
function countingModel(input: Partial<ValueModel> = {}): ValueModel & { readonly passes: number[] } {
  const passes: number[] = [];
  const none = (): never => {
    throw new Error("a reward model is not trained here");
  };
  return {
    id: "sums",
    parameters: 1,
    trainableParameters: 1,
    contextLength: 60,
    weightVersion: 0,
    hasStoredHead: true,
    passes,
    async forward(sequences) {
      passes.push(sequences.length);
      await new Promise((resolve) => setImmediate(resolve));
      return ragged(sequences.map(({ tokens }) => [tokens.reduce((sum, token) => sum + token, 0) / 100]));
    },
    forwardBackward: none,
    optimStep: none,
    save: none,
    load: none,
    dispose: async () => undefined,
    ...input,
  };
}

const answered = (answer: string | null) => scriptedEpisode([{ agent: "s", text: answer ?? "" }], { answer });

describe("a reward model", () => {
  for (const item of rewardCases)
    test(item.name, () => item.run(() => modelReward({ model: countingModel(), encode })));

  test("earns the value of question and answer, in batches of waiting pairs", async () => {
    const model = countingModel();
    const reward = modelReward({ model, encode, batch: 4 });
    const all = ["15", "16", "17", "18", "19"].map(async (answer) => reward(answered(answer), problem, context));
    const value = (answer: string): number => encode(`6+9\n${answer}`).reduce((sum, item) => sum + item, 0) / 100;
    expect(await Promise.all(all.map((item) => Promise.resolve(item)))).toEqual(
      ["15", "16", "17", "18", "19"].map((answer) => ({ team: { preference: value(answer) } })),
    );
    expect(model.passes).toEqual([4, 1]);
    await reward(answered("15"), problem, context);
    expect(model.passes).toEqual([4, 1, 1]);
  });

  test("scales, names its term, grades apart, and needs an answer", async () => {
    const grader = (answer: string | null): number => (answer === "15" ? 1 : 0);
    const options = { encode, term: "liked", noAnswer: -1, grader, input: () => [50, 50], scale: (v: number) => v / 2 };
    const reward = modelReward({ model: countingModel(), ...options });
    expect(await reward(answered("15"), problem, context)).toEqual({ team: { liked: 0.5 }, score: 1 });
    expect(await reward(answered(null), problem, context)).toEqual({ team: { liked: -1 }, score: 0 });
  });

  test("drops requests without a reader and fails with its model", async () => {
    const stop = new AbortController();
    const broken = new Error("the device is gone");
    const reward = modelReward({ model: countingModel({ forward: () => Promise.reject(broken) }), encode });
    const late = reward(answered("15"), problem, { signal: stop.signal });
    const other = reward(answered("16"), problem, context);
    stop.abort(new Error("late"));
    await expect(late).rejects.toThrow("late");
    await expect(other).rejects.toBe(broken);
    await expect(reward(answered("16"), problem, context)).rejects.toBe(broken);
  });

  test("refuses a fresh head, texts that do not fit, and a model that no run has opened", async () => {
    const fresh = countingModel({ hasStoredHead: false });
    expect(() => modelReward({ model: fresh, encode })).toThrow(/the model's head is untrained/u);
    expect(() => modelReward({ model: countingModel(), encode, batch: 0 })).toThrow(/batch is 0/u);
    const ask = async (reward: Reward, answer: string): Promise<unknown> => reward(answered(answer), problem, context);
    const long = modelReward({ model: countingModel(), encode });
    await expect(ask(long, "1".repeat(57))).rejects.toThrow(
      /problem "p": the reward model reads 61 tokens, it takes from 1 to 60/u,
    );
    const named = modelReward({ model: "hub:someone/reward" });
    await expect(ask(named, "15")).rejects.toThrow(/its model is not open/u);
    const asked: unknown[] = [];
    const opened = await named.open?.({
      openValueModel: async (...input) => {
        asked.push(input);
        return { model: countingModel(), encode };
      },
    });
    expect(asked).toEqual([["hub:someone/reward"]]);
    expect(await ask(opened as Reward, "15")).toHaveProperty("team.preference");
  });
});
