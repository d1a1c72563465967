import type { AgentId, Episode, EpisodeContext, LanguageModel, Problem, Random } from "@laconic/core";
import { scoreValue, type RewardOutcome } from "@laconic/rewards";
import type { TrainConfig } from "../config.ts";
import { answersToScore } from "./credit.ts";
import { modelsOf, type Samplers, type TrainingParts } from "../parts.ts";
import type { Scorer } from "../scorer.ts";

/** An episode and what became of its reward; null where an agent's error left nothing to judge. */
export interface PlayedEpisode {
  readonly episode: Episode;
  readonly score: RewardOutcome | null;
}

/** An episode and the problem it is about. */
export interface Rollout extends PlayedEpisode {
  readonly problem: Problem;
  /** Position of the problem among those of the step. */
  readonly group: number;
  /** Score of each utterance as if it were the answer, NaN without one; where credit asks for it. */
  readonly utteranceScores?: readonly number[];
  /** The same episode with one agent silent, the same random numbers for the others; with `credit: difference` only. */
  readonly without?: Readonly<Record<AgentId, PlayedEpisode>>;
  /** The problem's greedy episode, which is not trained on; where an estimator asks for it. */
  readonly greedy?: PlayedEpisode;
}

/** How a step's episodes are played. */
export interface RolloutOptions {
  readonly score: Scorer;
  /** One more episode of each problem, at temperature 0. */
  readonly greedy: boolean;
}

/** G episodes of each problem under the samplers' weights, all at once; a local policy serves them as few large batches. */
export async function rollout(
  parts: TrainingParts,
  config: TrainConfig,
  { score, greedy }: RolloutOptions,
  samplers: Samplers,
  problems: readonly Problem[],
  random: Random,
): Promise<Rollout[]> {
  const models = modelsOf(parts, samplers);
  const { topology } = parts.task;
  const trained = Object.values(parts.policies).flatMap(({ agents }) => agents);
  const play = async (
    problem: Problem,
    context: Pick<EpisodeContext, "models" | "random"> & Partial<Pick<EpisodeContext, "sampling">>,
  ): Promise<PlayedEpisode> => {
    const episode = await topology.run(problem, { ...contextOf(config), ...context });
    return { episode, score: await score(episode, problem) };
  };
  const byProblem = await Promise.all(
    problems.map(async (problem, group) => {
      const stream = random.split(`problem:${group}`);
      const first = greedy
        ? play(problem, { models, random: stream.split("greedy"), sampling: { temperature: 0 } })
        : undefined;
      const episodes = Array.from({ length: config.episodesPerProblem }, async (_, g): Promise<Rollout> => {
        const own = random.split(`problem:${group}/episode:${g}`);
        const [played, ...without] = await Promise.all([
          play(problem, { models, random: own }),
          ...(config.credit.kind === "difference" ? trained : []).map(
            async (agent) =>
              [agent, await play(problem, { models: { ...models, [agent]: silentModel }, random: own })] as const,
          ),
        ]);
        const alone = answersToScore(config.credit, played.episode);
        const utteranceScores = await Promise.all(
          alone.map(async (episode) => scoreValue(await score(episode, problem))),
        );
        return {
          problem,
          group,
          ...played,
          ...(alone.length > 0 && { utteranceScores }),
          ...(without.length > 0 && { without: Object.fromEntries(without) }),
        };
      });
      const greedyEpisode = await first;
      return (await Promise.all(episodes)).map((each) => ({
        ...each,
        ...(greedyEpisode && { greedy: greedyEpisode }),
      }));
    }),
  );
  return byProblem.flat();
}

/** What every episode of a run is played under. */
function contextOf({
  sampling,
  limits,
  onAgentError,
}: TrainConfig): Pick<EpisodeContext, "sampling" | "limits" | "onError"> {
  return { sampling, limits, onError: onAgentError };
}

/** Says nothing, and costs nothing. */
const silentModel: LanguageModel = {
  id: "silent",
  complete: async () => ({
    text: "",
    finishReason: "stop",
    usage: { promptTokens: 0, completionTokens: 0, counted: "model" },
    model: { id: "silent", weightVersion: 0 },
  }),
};
