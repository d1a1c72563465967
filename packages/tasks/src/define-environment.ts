import { environmentName, inputError } from "@laconic/core";
import type { AgentId, Environment, EpisodeReward, Reward, StepReward } from "@laconic/core";
import { readReward } from "@laconic/rewards";

/**
 * Checks a custom environment for `defineTask` or `inEnvironment`.
 * @throws LaconicError `input_invalid`
 */
export function defineEnvironment<State>(environment: Environment<State>): Environment {
  const { name, reset, step, maxSteps } = environment;
  if (typeof name !== "string" || name.trim() === "") refuse("an environment needs a name");
  for (const [key, value] of Object.entries({ reset, step }))
    if (typeof value !== "function") refuse(`the environment ${name} lacks ${key}, a function`);
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps >= 1))
    refuse(`the environment ${name}: maxSteps is ${maxSteps}, expected a whole number from 1`);
  if (environment.tools && !environment.format) refuse(`the environment ${name} has tools, but no call format`);
  return environment;
}

/** Adds step rewards as the term `environment`; accuracy ignores them. */
export function withStepRewards(reward: Reward): Reward {
  return async (episode, problem, context) => {
    const rewardResult = await reward(episode, problem, context);
    const outcome = readReward(rewardResult);
    if (outcome.status !== "scored") return rewardResult;
    const earned = (episode.observations ?? []).flatMap((observation) =>
      observation.reward === undefined ? [] : [observation.reward],
    );
    const ofTeam = earned.filter((stepReward) => typeof stepReward === "number");
    const { team, agents, measures, ...rest } = outcome.reward;
    const terms = ownTerms(earned, agents);
    return {
      ...rest,
      score: rest.score ?? team["task"] ?? Object.values(team).reduce((sum, term) => sum + term, 0),
      team: { ...team, ...(ofTeam.length > 0 && { [environmentName]: ofTeam.reduce((sum, value) => sum + value, 0) }) },
      ...(terms && { agents: terms }),
      ...((measures ?? episode.measures) && { measures: { ...episode.measures, ...measures } }),
    };
  };
}

function ownTerms(earned: readonly StepReward[], agents: EpisodeReward["agents"]): EpisodeReward["agents"] {
  const sums = new Map<AgentId, number>();
  for (const stepReward of earned)
    if (typeof stepReward === "object")
      for (const [agent, reward] of Object.entries(stepReward)) sums.set(agent, (sums.get(agent) ?? 0) + reward);
  if (sums.size === 0) return agents;
  const added = Array.from(sums, ([agent, sum]) => [agent, { ...agents?.[agent], [environmentName]: sum }]);
  return { ...agents, ...Object.fromEntries(added) };
}

function refuse(message: string): never {
  throw inputError(message);
}
