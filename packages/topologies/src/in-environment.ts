import {
  environmentName,
  LaconicError,
  type AgentId,
  type Environment,
  type EnvironmentContext,
  type EpisodeContext,
  type PlayedEnvironment,
  type Problem,
  type Random,
  type Topology,
} from "@laconic/core";
import { untilAborted } from "@laconic/core/async";
import { checkedAnswer } from "@laconic/core/checks";
import { endEpisode } from "./end-episode.ts";
import { joinedEnvironment } from "./joined-environment.ts";

/**
 * A topology whose agents act on an environment: in every turn an agent goes on from what the environment answers, until there
 * is no answer. The other agents read the turn's last text. The state of each episode is its own. An environment of the context
 * joins it: its tools are called beside.
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
        // A team with an environment of its own has counted too.
        for (const [name, amount] of Object.entries(episode.measures ?? {})) record(name, amount);
        return measures.size === 0 ? episode : { ...episode, measures: Object.fromEntries(measures) };
      } finally {
        await ended(environment, state);
      }
    },
  };
}

const tooLate: unique symbol = Symbol("too late");

/** The state of an episode. It takes no longer than a turn may, nor than the episode. */
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
  const own = { signal, random, record };
  const state = checkedAnswer<unknown>(
    of,
    () => environment.reset(problem, own),
    () => null,
  );
  try {
    // A state that comes too late ends at once.
    return await untilAborted(state, signal, of.name, (value) => void ended(environment, value).catch(() => undefined));
  } catch (error) {
    if (late.signal.aborted && !outer?.aborted && LaconicError.is(error) && error.code === "aborted") return tooLate;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A longer timer fires at once. */
const longestSeconds = (2 ** 31 - 1) / 1000;

function ended(environment: Environment, state: unknown): Promise<unknown> {
  const of = { name: `the environment ${environment.name}: end`, value: "task" };
  return checkedAnswer(
    of,
    () => environment.end?.(state),
    () => null,
  );
}
