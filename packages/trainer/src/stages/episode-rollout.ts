import type { EpisodeContext, LanguageModel, Sampling } from "@laconic/core";
import type { TrainConfig } from "../settings/config.ts";
import { withOpponent, type Opponent } from "../opponents/games.ts";
import type { TrainingParts } from "../spec/parts.ts";
import type { Scorer } from "../scorer.ts";
import { streamOfAttempt, type GroupRollout, type GroupPlace } from "./group-rollout.ts";
import { checkEpisode } from "./checked-values.ts";
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
  const play = async (
    context: Pick<EpisodeContext, "models" | "random"> & Partial<Pick<EpisodeContext, "sampling">>,
    signal: AbortSignal | undefined,
    opponent: Opponent | null,
  ): Promise<Played> => {
    const seated = opponent ? { models: { ...context.models, ...opponent.models } } : {};
    const told = { sampling, limits, onError, ...context, ...seated, ...(signal && { signal }) };
    const played = await topology.run(problem, told);
    checkEpisode(topology.name, played);
    const episode = opponent ? withOpponent(played, opponent.name, Object.keys(opponent.models)) : played;
    return { episode, score: await score(episode, problem) };
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
      const learners = trained.filter((agent) => !Object.hasOwn(opponent?.models ?? {}, agent));
      const [baseline, played, ...without] = await Promise.all([
        greedy ? greedily(signal) : undefined,
        play({ models, random: stream }, signal, opponent),
        ...(config.credit.kind === "difference" ? learners : []).map(
          async (agent) =>
            [
              agent,
              await play({ models: { ...models, [agent]: silentModel }, random: stream }, signal, opponent),
            ] as const,
        ),
      ]);
      const rollout: Rollout = {
        problem,
        group,
        ...played,
        ...(without.length > 0 && { without: Object.fromEntries(without) }),
        ...(baseline && { greedy: baseline }),
      };
      return { rollouts: [rollout], scores: [rollout.score] };
    },
  };
}

const silentModel: LanguageModel = {
  id: "silent",
  complete: async () => ({
    text: "",
    finishReason: "stop",
    usage: { promptTokens: 0, completionTokens: 0, counted: "model" },
    model: { id: "silent", weightVersion: 0 },
  }),
};
