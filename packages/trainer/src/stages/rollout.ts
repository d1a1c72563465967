import type { AgentId, Episode, EpisodeContext, LanguageModel, Problem, Random } from "@laconic/core";
import type { TrainConfig } from "../config.ts";
import { textsToGrade } from "./credit.ts";
import { modelsOf, type Samplers, type TrainingParts } from "../parts.ts";

/** An episode and the problem it is about. */
export interface Rollout {
  readonly problem: Problem;
  readonly episode: Episode;
  /** Position of the problem among those of the step. */
  readonly group: number;
  /** The same episode with one agent silent, the same random numbers for the others; with `credit: difference` only. */
  readonly without?: Readonly<Record<AgentId, Episode>>;
}

/** G episodes of each problem under the samplers' weights, all at once; a local policy serves them as few large batches. */
export function rollout(
  parts: TrainingParts,
  config: TrainConfig,
  samplers: Samplers,
  problems: readonly Problem[],
  random: Random,
): Promise<Rollout[]> {
  const models = modelsOf(parts, samplers);
  const { topology, judge } = parts.task;
  const trained = Object.values(parts.policies).flatMap(({ agents }) => agents);
  return Promise.all(
    problems.flatMap((problem, group) =>
      Array.from({ length: config.episodesPerProblem }, async (_, g): Promise<Rollout> => {
        const stream = random.split(`problem:${group}/episode:${g}`);
        const play = async (own: Readonly<Record<AgentId, LanguageModel>>): Promise<Episode> => {
          const episode = await topology.run(problem, { ...contextOf(config), models: own, random: stream });
          const graded = [episode.answer, ...textsToGrade(config.credit, episode)];
          if (judge) await Promise.all(graded.map((text) => judge(text, problem)));
          return episode;
        };
        if (config.credit.kind !== "difference") return { problem, group, episode: await play(models) };
        const [episode, ...without] = await Promise.all([
          play(models),
          ...trained.map(async (agent) => [agent, await play({ ...models, [agent]: silentModel })] as const),
        ]);
        return { problem, group, episode, without: Object.fromEntries(without) };
      }),
    ),
  );
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
