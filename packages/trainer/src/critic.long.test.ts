import { gaeEstimator, linearCritic, type CriticView } from "@laconic/gspo/critics";
import type { Reward } from "@laconic/core";
import { expect, test } from "vitest";
import { trainTiny } from "../test/train-tiny.ts";
import { tinyParts } from "./testing/index.ts";

const luckOf = (id: string): number => (Number(id.split("-")[1]) % 2 === 0 ? 2 : -2);

const reward: Reward = ({ answer, problemId }, { gold }) => {
  const task = answer?.startsWith(gold) ? 1 : 0;
  return { team: { task, luck: luckOf(problemId) }, score: task };
};

/** Validation accuracy with one episode per problem, so only the critic can predict its reward. */
async function accuracy(seed: number, features: (view: CriticView) => readonly number[]): Promise<number> {
  const critic = linearCritic({ features, ridge: 0.1 });
  const estimator = gaeEstimator({ gamma: 1, lambda: 1, critic });
  const settings = {
    seed,
    prices: {},
    groupBy: "prompt+agent",
    advantage: { estimator: "raw" },
    problemsPerStep: 12,
    episodesPerProblem: 1,
    optimizer: { learningRate: { peak: 0.1, warmUpSteps: 0, decay: "constant", finalFraction: 1 } },
    steps: 40,
    evaluation: { every: 0, problems: 30, transcripts: 1 },
  };
  const { after } = await trainTiny({ ...tinyParts(), settings: { reward, advantage: estimator } }, settings);
  return after.accuracy;
}

const asked = ({ problem: { question } }: CriticView): number[] =>
  ["0", "1", "2"].map((digit) => Number(question === digit));
const joint = (view: CriticView): number[] => [...asked(view), luckOf(view.problem.id)];

test("a centralised critic with all information trains the team where an agent's critic fails", async () => {
  const seeds = [1, 2, 3];
  const mean = async (features: typeof asked): Promise<number> => {
    const all = await Promise.all(seeds.map((seed) => accuracy(seed, features)));
    return all.reduce((sum, value) => sum + value, 0) / all.length;
  };
  const [own, central] = [await mean(asked), await mean(joint)];
  expect(own).toBeLessThan(0.5);
  expect(central).toBeGreaterThan(0.8);
});
