import type { Episode, LanguageModel, Problem, Random } from "@laconic/core";
import { holdersOf, relaySolver } from "./agents.ts";
import type { RelayLevel } from "./levels.ts";
import { relayTopology } from "./topology.ts";

/** One model plays every agent, at temperature 1: how a teacher, an oracle or a policy fares on a problem. */
export function relayEpisode(
  level: RelayLevel,
  problem: Problem,
  model: LanguageModel,
  random: Random,
): Promise<Episode> {
  const models = Object.fromEntries([...holdersOf(level), relaySolver].map((agent) => [agent, model]));
  return relayTopology(level).run(problem, { models, sampling: { temperature: 1 }, random });
}
