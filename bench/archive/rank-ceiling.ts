// What rank correlation an agent reaches that keeps to every budget on average, and whose replies spread around it: the ceiling of
// `story-budget`, for the budgets that are kept back and for those of training.
//   npx tsx bench/archive/rank-ceiling.ts
import { randomFromSeed, rankCorrelation } from "@laconic/core";
import { storyBudget } from "@laconic/worlds";
import { budgetCeiling, obedience, unseenBudgets } from "@laconic/worlds/stories";
import { print } from "../src/measure.ts";

const episodes = 20_000;
const { task } = storyBudget;
const trained = (task.name === "story-budget" && task.budgets) || [];

for (const deviation of [0, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4])
  for (const [name, budgets] of Object.entries({ unseen: unseenBudgets, known: trained })) {
    const random = randomFromSeed(`ceiling ${deviation}`);
    const told = Array.from({ length: episodes }, () => random.pick(budgets));
    const spent = told.map((budget) =>
      Math.min(budgetCeiling, Math.max(1, Math.round(budget * (1 + deviation * random.normal())))),
    );
    const grade = told.reduce((sum, budget, i) => sum + obedience(spent[i] ?? 0, budget), 0) / episodes;
    print("rank ceiling", { budgets: name, deviation, rank: rankCorrelation(told, spent), grade });
  }
