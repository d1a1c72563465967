import type { AgentId, Episode, EpisodeContext, LanguageModel, Problem, Random } from "@laconic/core";
import type { SampleScore } from "@laconic/rewards";
import type { TrainConfig } from "../config.ts";
import { textsToGrade } from "./credit.ts";
import { modelsOf, type Samplers, type TrainingParts } from "../parts.ts";
import { withVerdicts } from "../verdicts.ts";

/** An episode and the problem it is about. */
export interface Rollout {
  readonly problem: Problem;
  readonly episode: Episode;
  /** Position of the problem among those of the step. */
  readonly group: number;
  /** What became of its grade; null where an agent's error left nothing to grade. */
  readonly score?: SampleScore | null;
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
  const { topology, scoreOf } = withVerdicts(parts.task, config.scoring);
  const trained = Object.values(parts.policies).flatMap(({ agents }) => agents);
  return Promise.all(
    problems.flatMap((problem, group) =>
      Array.from({ length: config.episodesPerProblem }, async (_, g): Promise<Rollout> => {
        const stream = random.split(`problem:${group}/episode:${g}`);
        const play = async (
          own: Readonly<Record<AgentId, LanguageModel>>,
        ): Promise<Pick<Rollout, "episode" | "score">> => {
          const episode = await topology.run(problem, { ...contextOf(config), models: own, random: stream });
          const [score] = await Promise.all([
            episode.stopReason === "error" ? null : scoreOf(episode.answer, problem),
            ...textsToGrade(config.credit, episode).map((text) => scoreOf(text, problem)),
          ]);
          return { episode, score };
        };
        if (config.credit.kind !== "difference") return { problem, group, ...(await play(models)) };
        const [played, ...without] = await Promise.all([
          play(models),
          ...trained.map(async (agent) => [agent, (await play({ ...models, [agent]: silentModel })).episode] as const),
        ]);
        return { problem, group, ...played, without: Object.fromEntries(without) };
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
