import { LaconicError, type Environment, type Reward } from "@laconic/core";
import { readReward } from "@laconic/rewards";

/**
 * An environment of one's own, checked: what agents act on, and what it answers. Give it to `defineTask`, or to `inEnvironment` with
 * any topology. `environmentCases` of `@laconic/tasks/testing` checks what takes episodes to see.
 * @throws LaconicError `input_invalid` naming what is missing
 */
export function defineEnvironment<State>(environment: Environment<State>): Environment {
  const { name, reset, step, maxSteps } = environment;
  if (typeof name !== "string" || name.trim() === "") refuse("an environment needs a name");
  for (const [key, value] of Object.entries({ reset, step }))
    if (typeof value !== "function") refuse(`the environment ${name} lacks ${key}, a function`);
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps >= 1))
    refuse(`the environment ${name}: maxSteps is ${maxSteps}, expected a whole number from 1`);
  if (environment.tools && !environment.format)
    refuse(`the environment ${name} has tools, but no format in which agents call them`);
  return environment;
}

/**
 * A reward to which an environment's own are added: the sum of its steps' as the team's term `environment`, what it recorded as
 * measures. An accuracy is that of the reward without them.
 */
export function withStepRewards(reward: Reward): Reward {
  return async (episode, problem, context) => {
    const given = await reward(episode, problem, context);
    const outcome = readReward(given);
    if (outcome.status !== "scored") return given;
    const earned = (episode.observations ?? []).flatMap((each) => each.reward ?? []);
    const { team, measures, ...rest } = outcome.reward;
    return {
      ...rest,
      score: rest.score ?? team["task"] ?? Object.values(team).reduce((sum, term) => sum + term, 0),
      team: { ...team, ...(earned.length > 0 && { environment: earned.reduce((sum, each) => sum + each, 0) }) },
      ...((measures ?? episode.measures) && { measures: { ...episode.measures, ...measures } }),
    };
  };
}

function refuse(message: string): never {
  throw new LaconicError("input_invalid", message);
}
