import type { Episode, EpisodeContext, Sampling } from "@laconic/core";
import { playReplayable } from "@laconic/topologies";
import type { TrainConfig } from "../settings/config.ts";
import type { CreditPlan } from "../settings/credit.ts";
import { creditOf } from "../settings/named.ts";
import { withOpponent, type Opponent } from "../opponents/games.ts";
import type { TrainingParts } from "../spec/parts.ts";
import type { Scorer } from "../scorer.ts";
import { streamOfAttempt, type GroupRollout, type GroupPlace } from "./group-rollout.ts";
import { checkEpisode, planCredit } from "./checked-values.ts";
import type { Played, Rollout } from "../rollout.ts";

export interface GameOptions {
  readonly score: Scorer;
  /** Adds an episode per problem at temperature 0. */
  readonly greedy: boolean;
  readonly sampling: Sampling;
}

export function episodeRollout(
  parts: TrainingParts,
  config: TrainConfig,
  { score, greedy, sampling }: GameOptions,
  { models, problem, group, random, opponentOf = () => null }: GroupPlace,
): GroupRollout {
  const { topology } = parts.task;
  const { limits, onAgentError: onError } = config;
  const trained = Object.values(parts.policies).flatMap(({ agents }) => agents);
  const credit = creditOf(config);
  const play = async (
    context: Pick<EpisodeContext, "models" | "random"> & Partial<Pick<EpisodeContext, "sampling">>,
    signal: AbortSignal | undefined,
    opponent: Opponent | null,
    planOf?: (episode: Episode) => CreditPlan,
  ): Promise<Played & Pick<Rollout, "plan" | "replays">> => {
    const seated = opponent ? { models: { ...context.models, ...opponent.models } } : {};
    const told = { sampling, limits, onError, ...context, ...seated, ...(signal && { signal }) };
    const scored = async (played: Episode): Promise<Played> => {
      checkEpisode(topology.name, played);
      const episode = opponent ? withOpponent(played, opponent.name, Object.keys(opponent.models)) : played;
      return { episode, score: await score(episode, problem) };
    };
    if (!planOf) return scored(await topology.run(problem, told));
    const { episode, replay } = await playReplayable(topology, problem, told);
    const played = await scored(episode);
    const plan = planOf(played.episode);
    const replays = plan.changes.map(async (change) => ({ change, ...(await scored(await replay(change))) }));
    return { ...played, plan, replays: await Promise.all(replays) };
  };
  let greedyEpisode: Promise<Played> | null = null;
  const greedily = (signal: AbortSignal | undefined): Promise<Played> => {
    const stream = random.split(`problem:${group}`).split("greedy");
    const told = { models, random: stream, sampling: { temperature: 0 } };
    greedyEpisode ??= play(told, signal, opponentOf(0)).catch((error: unknown) => {
      greedyEpisode = null;
      throw error;
    });
    return greedyEpisode;
  };
  return {
    parts: config.episodesPerProblem,
    async play(g, attempt = 0, signal) {
      const stream = streamOfAttempt(random.split(`problem:${group}/episode:${g}`), attempt);
      const opponent = opponentOf(g);
      const agents = trained.filter((agent) => !Object.hasOwn(opponent?.models ?? {}, agent));
      const planOf =
        credit && ((episode: Episode) => planCredit(credit, { episode, agents, random: stream.split("credit") }));
      const [baseline, played] = await Promise.all([
        greedy ? greedily(signal) : undefined,
        play({ models, random: stream }, signal, opponent, planOf ?? undefined),
      ]);
      const rollout: Rollout = { problem, group, ...played, ...(baseline && { greedy: baseline }) };
      return { rollouts: [rollout], scores: [rollout.score] };
    },
  };
}
