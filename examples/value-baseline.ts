/**
 * The quickstart's team with a critic instead of groups: one episode per problem, advantages by GAE, a fixed price.
 *
 *     npm run -s laconic -- train examples/value-baseline.ts
 */
import { gaeEstimator, linearCritic, type CriticView } from "@laconic/gspo/critics";
import { relayQuickstart } from "@laconic/tasks/presets";
import { defineRun, type RunDefinition } from "@laconic/cli";

/** Features that no agent sees: whose fact is requested, and the tokens written so far. */
function jointView({ problem, agent, before }: CriticView): number[] {
  const isAsked = problem.question.includes(problem.views?.[agent]?.charAt(0) ?? " ");
  const said = before.reduce((sum, { writtenTokens }) => sum + writtenTokens, 0);
  return [1, agent === "solver" ? 1 : 0, isAsked ? 1 : 0, said / 50];
}

const run: RunDefinition = defineRun({
  ...relayQuickstart,
  train: {
    ...relayQuickstart.train,
    advantage: gaeEstimator({ gamma: 1, lambda: 0.95, critic: linearCritic({ features: jointView }) }),
    groupBy: "prompt+agent",
    budget: null,
    prices: { tokens: 0.002 },
    steps: 60,
    problemsPerStep: 128,
    episodesPerProblem: 1,
  },
});
export default run;
