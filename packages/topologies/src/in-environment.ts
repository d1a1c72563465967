import {
  checkedAnswer,
  environmentName,
  LaconicError,
  type AgentId,
  type Environment,
  type EnvironmentContext,
  type PlayedEnvironment,
  type Topology,
  untilAborted,
} from "@laconic/core";
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
      const { signal } = context;
      const own = { ...(signal && { signal }), random: random.split("reset"), record };
      const of = { name: `the environment ${environment.name}: reset`, value: "task" };
      const begun = checkedAnswer<unknown>(
        of,
        () => environment.reset(problem, own),
        () => null,
      );
      // A state that comes too late ends at once.
      const state = await untilAborted(
        begun,
        signal,
        of.name,
        (late) => void ended(environment, late).catch(() => undefined),
      );
      try {
        const played = { environment, state, random, record, alter };
        const outer = context.environment;
        const episode = await topology.run(problem, {
          ...context,
          environment: outer ? joinedEnvironment(played, outer) : played,
        });
        return measures.size === 0 ? episode : { ...episode, measures: Object.fromEntries(measures) };
      } finally {
        await ended(environment, state);
      }
    },
  };
}

function ended(environment: Environment, state: unknown): Promise<unknown> {
  const of = { name: `the environment ${environment.name}: end`, value: "task" };
  return checkedAnswer(
    of,
    () => environment.end?.(state),
    () => null,
  );
}
