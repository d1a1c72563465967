import { LaconicError } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { rescore, type RescoredStep, type RescoreOptions } from "@laconic/evaluation/analysis";
import { scoreValue, type RewardOutcome } from "@laconic/rewards";
import { findRun, openRunTask, type Progress } from "@laconic/runtime";
import { openModelFolder } from "@laconic/runtime/models";
import { openTrain } from "@laconic/runtime/resolver";
import {
  describeUnscored,
  learnedOf,
  rewardOf,
  scorer,
  scoringFailure,
  scoringReport,
  withReward,
} from "@laconic/trainer";
import { recordedEpisodes } from "./recorded-episodes.ts";

/** Options of `rescoreRun`. */
export interface RescoreRunOptions extends RescoreOptions {
  /** Grades the answers again with the run's task. */
  readonly isRegraded: boolean;
  /** Training episodes instead of validation. */
  readonly isTraining: boolean;
}

/**
 * Scores recorded episodes under other prices, edges or grades, without sampling.
 * @param source - run folder, or a transcript file of an earlier version
 * @throws LaconicError `run_missing`; `config_invalid` for an edge without reader; `scoring_failed`
 */
export async function rescoreRun(
  source: string,
  { isRegraded, isTraining, ...options }: RescoreRunOptions,
  progress: Progress,
): Promise<RescoredStep[]> {
  const recorded = await recordedEpisodes(source, isTraining ? "step" : "evaluation", (line) => progress.note(line));
  for (const edge of options.without ?? []) checkEdge(edge, recorded);
  return rescore(isRegraded ? await scoredAnew(source, recorded, progress) : recorded, options);
}

async function scoredAnew(
  run: string,
  recorded: readonly RecordedEpisode[],
  progress: Progress,
): Promise<RecordedEpisode[]> {
  const { config, state } = await findRun(run);
  if (config.train.groupReward)
    progress.note("the group reward is not asked: what episodes earned by comparison in their group is left out");
  const { folder } = await openModelFolder(config.model, progress);
  const task = await openRunTask(config.task, {
    testProblems: 1,
    modelFolder: folder,
    templateArguments: config.chatTemplateArguments,
    note: (line) => progress.note(line),
  });
  try {
    const reward = rewardOf(withReward(task, await openTrain(config.train)));
    const scoreOf = scorer(reward, config.train.scoring);
    const scores: (RewardOutcome | null)[] = [];
    for (const { episode, problem } of recorded) scores.push(await scoreOf(episode, problem, learnedOf(state)));
    const report = scoringReport(scores);
    const failure = scoringFailure(report, config.train.scoring, "the recorded episodes");
    if (failure) throw failure;
    const unscored = describeUnscored(report.counts);
    if (unscored !== "") progress.note(`left out, without a score: ${unscored}`);
    return recorded.map((each, i) => ({ ...each, task: scoreValue(scores[i] ?? null) }));
  } finally {
    await task.close?.();
  }
}

function checkEdge(edge: string, recorded: readonly RecordedEpisode[]): void {
  const known = new Set(
    recorded.flatMap(({ episode }) =>
      episode.ledger.calls.flatMap(({ agent, reads }) => reads.map(({ from }) => `${from}->${agent}`)),
    ),
  );
  if (!known.has(edge))
    throw new LaconicError("config_invalid", `--without: nobody reads along ${edge}; edges: ${[...known].join(", ")}`, {
      edge,
    });
}
