import {
  LaconicError,
  type Environment,
  type EnvironmentAction,
  type EnvironmentContext,
  type EnvironmentStep,
  type PlayedEnvironment,
  type StepReward,
} from "@laconic/core";
import { checkedAnswer } from "@laconic/core/checks";
import { defaultMaxSteps, lacksOfStep } from "./act.ts";

/**
 * A team's own environment, and the tools of another: calls of those go to the other one, anything else to the team's own. A text
 * that only calls the other's tools is no move in the team's own.
 */
export function joinedEnvironment(own: PlayedEnvironment, outer: PlayedEnvironment): PlayedEnvironment {
  const { environment } = own;
  const format = environment.format ?? outer.environment.format;
  const toolsOf: NonNullable<Environment["tools"]> = (agent) => outer.environment.tools?.(agent) ?? [];
  const joined: Environment = {
    ...environment,
    ...(format && { format }),
    maxSteps: (environment.maxSteps ?? defaultMaxSteps) + (outer.environment.maxSteps ?? defaultMaxSteps),
    concurrent: environment.concurrent === true && outer.environment.concurrent === true,
    tools: (agent) => [...(environment.tools?.(agent) ?? []), ...toolsOf(agent)],
    async step(state, action, context) {
      const others = new Set(toolsOf(action.agent).map(({ name }) => name));
      const isOthers = ({ name }: { readonly name: string }): boolean => others.has(name);
      const theirs = action.calls.filter(isOthers);
      if (theirs.length === 0) return environment.step(state, action, context);
      const rest = action.calls.filter((call) => !isOthers(call));
      const first = rest.length === 0 ? {} : await environment.step(state, { ...action, calls: rest }, context);
      if (first.done) return first;
      const second = await outerStep(outer, { ...action, calls: theirs, malformed: 0 }, context);
      const [mine, answers] = [listed(first), listed(second)];
      // Formats tell answers by their order: that of the calls, where each call has its answer.
      const inOrder =
        mine.length === rest.length && answers.length === theirs.length
          ? action.calls.map((call) => (isOthers(call) ? answers : mine).shift() as string)
          : [...mine, ...answers];
      const reward = sumOf(first.reward, second.reward, [environment.name, outer.environment.name]);
      return { observation: inOrder, ...(reward !== undefined && { reward }), ...(second.done && { done: true }) };
    },
  };
  return { ...own, environment: joined };
}

/** Both of the team, or both of single agents. */
function sumOf(
  one: StepReward | undefined,
  other: StepReward | undefined,
  names: readonly string[],
): StepReward | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (typeof one === "number" || typeof other === "number")
    throw new LaconicError(
      "config_invalid",
      `the environments ${names.join(" and ")} reward one step, one as a number and one by agent; give both the same form`,
      { key: "task" },
    );
  const agents = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(agents.map((agent) => [agent, (one[agent] ?? 0) + (other[agent] ?? 0)]));
}

function outerStep(
  { environment, agents, state, record }: PlayedEnvironment,
  action: EnvironmentAction,
  context: EnvironmentContext,
): Promise<EnvironmentStep> {
  const of = { name: `the environment ${environment.name}: step`, value: "task" };
  const own = { ...context, random: context.random.split("outer"), record };
  return checkedAnswer(
    of,
    () => environment.step(state, action, own),
    (given) => lacksOfStep(given, agents),
  );
}

function listed({ observation = [] }: EnvironmentStep): string[] {
  return typeof observation === "string" ? [observation] : [...observation];
}
