import {
  environmentName,
  LaconicError,
  type AgentId,
  type Environment,
  type EpisodeReward,
  type Reward,
  type StepReward,
} from "@laconic/core";
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
    const given = await reward(episode, problem, context);
    const outcome = readReward(given);
    if (outcome.status !== "scored") return given;
    const earned = (episode.observations ?? []).flatMap((each) => (each.reward === undefined ? [] : [each.reward]));
    const ofTeam = earned.filter((each) => typeof each === "number");
    const { team, agents, measures, ...rest } = outcome.reward;
    const own = ownTerms(earned, agents);
    return {
      ...rest,
      score: rest.score ?? team["task"] ?? Object.values(team).reduce((sum, term) => sum + term, 0),
      team: { ...team, ...(ofTeam.length > 0 && { [environmentName]: ofTeam.reduce((sum, each) => sum + each, 0) }) },
      ...(own && { agents: own }),
      ...((measures ?? episode.measures) && { measures: { ...episode.measures, ...measures } }),
    };
  };
}

function ownTerms(earned: readonly StepReward[], agents: EpisodeReward["agents"]): EpisodeReward["agents"] {
  const sums = new Map<AgentId, number>();
  for (const each of earned)
    if (typeof each === "object")
      for (const [agent, reward] of Object.entries(each)) sums.set(agent, (sums.get(agent) ?? 0) + reward);
  if (sums.size === 0) return agents;
  const added = Array.from(sums, ([agent, sum]) => [agent, { ...agents?.[agent], [environmentName]: sum }]);
  return { ...agents, ...Object.fromEntries(added) };
}

function refuse(message: string): never {
  throw new LaconicError("input_invalid", message);
}
