import {
  type AgentId,
  configError,
  type Environment,
  type EnvironmentContext,
  environmentName,
  type EnvironmentStep,
  type EpisodeContext,
  LaconicError,
  type PlayedEnvironment,
  type Problem,
  type Random,
  type StepReward,
  type Topology,
  present,
} from "@laconic/core";
import { untilAborted } from "@laconic/core/async";
import { checkedAnswer } from "@laconic/core/checks";
import { endEpisode } from "./end-episode.ts";
import { defaultMaxSteps, stepOf } from "./act.ts";

/**
 * Adds an environment with separate state per episode: agents continue after each observation, others read the last
 * text.
 * @throws LaconicError `topology_invalid` for an agent named `environment`
 */
export function inEnvironment(topology: Topology, environment: Environment): Topology {
  if (topology.agents.includes(environmentName))
    throw new LaconicError(
      "topology_invalid",
      `no agent may be called "${environmentName}": observations are read from it`,
    );
  return {
    ...topology,
    environment,
    async run(problem, context) {
      const measures = new Map<string, number>();
      const record: EnvironmentContext["record"] = (name, amount = 1) => {
        measures.set(name, (measures.get(name) ?? 0) + amount);
      };
      const read = new Map<AgentId, number>();
      const alter: PlayedEnvironment["alter"] = (text, agent) => {
        const position = read.get(agent) ?? 0;
        read.set(agent, position + 1);
        return context.alterObservation?.(text, agent, position) ?? text;
      };
      const random = context.random.split("environment");
      const begun = await stateOf(environment, problem, context, random.split("reset"), record);
      if (begun === tooLate) return endEpisode(topology.name, problem, [], null, "time_limit");
      const state = begun;
      try {
        const played = { environment, agents: topology.agents, state, random, record, alter };
        const outer = context.environment;
        const episode = await topology.run(problem, {
          ...context,
          environment: outer ? joinedEnvironment(played, outer) : played,
        });
        for (const [name, amount] of Object.entries(episode.measures ?? {})) record(name, amount);
        return measures.size === 0 ? episode : { ...episode, measures: Object.fromEntries(measures) };
      } finally {
        await ended(environment, state);
      }
    },
  };
}

const tooLate: unique symbol = Symbol("too late");

async function stateOf(
  environment: Environment,
  problem: Problem,
  { signal: outer, limits = {} }: EpisodeContext,
  random: Random,
  record: EnvironmentContext["record"],
): Promise<unknown> {
  const seconds = Math.min(limits.maxSecondsPerTurn ?? Infinity, limits.maxSeconds ?? Infinity);
  const late = new AbortController();
  const timer = seconds < longestSeconds ? setTimeout(() => late.abort(), seconds * 1000) : undefined;
  const signal = outer ? AbortSignal.any([outer, late.signal]) : late.signal;
  const of = { name: `the environment ${environment.name}: reset`, value: "task" };
  const context = { signal, random, record };
  const state = checkedAnswer<unknown>(
    of,
    () => environment.reset(problem, context),
    () => null,
  );
  try {
    return await untilAborted(state, signal, of.name, (value) => void ended(environment, value).catch(() => undefined));
  } catch (error) {
    if (late.signal.aborted && !outer?.aborted && LaconicError.is(error) && error.code === "aborted") return tooLate;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Longer timers fire immediately. */
const longestSeconds = (2 ** 31 - 1) / 1000;

function ended(environment: Environment, state: unknown): Promise<unknown> {
  const of = { name: `the environment ${environment.name}: end`, value: "task" };
  return checkedAnswer(
    of,
    () => environment.end?.(state),
    () => null,
  );
}

/** A text with only another environment's calls is no step of the team's. */
function joinedEnvironment(playedEnvironment: PlayedEnvironment, outer: PlayedEnvironment): PlayedEnvironment {
  const { environment } = playedEnvironment;
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
      const outside = { ...context, random: context.random.split("outer"), record: outer.record };
      const second = await stepOf(outer, { ...action, calls: theirs, malformed: 0 }, outside);
      const [mine, answers] = [listed(first), listed(second)];
      const inOrder =
        mine.length === rest.length && answers.length === theirs.length
          ? action.calls.map((call) => (isOthers(call) ? answers : mine).shift()!)
          : [...mine, ...answers];
      const reward = sumOf(first.reward, second.reward, [environment.name, outer.environment.name]);
      return { observation: inOrder, ...present({ reward }), ...(second.done && { done: true }) };
    },
  };
  return { ...playedEnvironment, environment: joined };
}

function sumOf(
  one: StepReward | undefined,
  other: StepReward | undefined,
  names: readonly string[],
): StepReward | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  if (typeof one === "number" && typeof other === "number") return one + other;
  if (typeof one === "number" || typeof other === "number")
    throw configError(
      `the environments ${names.join(" and ")} reward one step, one as a number and one by agent; give both the same form`,
      { key: "task" },
    );
  const agents = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(agents.map((agent) => [agent, (one[agent] ?? 0) + (other[agent] ?? 0)]));
}

function listed({ observation = [] }: EnvironmentStep): string[] {
  return typeof observation === "string" ? [observation] : [...observation];
}
