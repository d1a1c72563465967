import { configError, LaconicError } from "@laconic/core";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { rescore, type RescoredStep, type RescoreOptions, gradedEpisode } from "@laconic/evaluation/analysis";
import type { GivenAnswer } from "@laconic/evaluation/judging";
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
  eachLine,
  nodeFileSystem,
  readSettings,
} from "@laconic/trainer";
import { eachEpisode, folderSource, shownEpisodes } from "@laconic/trainer/reading";

/** Options of `rescoreRun`. */
export interface RescoreRunOptions extends RescoreOptions {
  readonly isRegraded: boolean;
  readonly isTraining: boolean;
}

/**
 * Scores recorded episodes under other prices, edges or grades, without sampling.
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
    progress.note("the group reward is not computed: rewards from comparisons within a group are missing");
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
    if (unscored !== "") progress.note(`skipped without a score: ${unscored}`);
    return recorded.map((episode, i) => ({ ...episode, task: scoreValue(scores[i] ?? null) }));
  } finally {
    await task.close?.();
  }
}

function checkEdge(edge: string, recorded: readonly RecordedEpisode[]): void {
  const recordedEdges = new Set(
    recorded.flatMap(({ episode }) =>
      episode.ledger.calls.flatMap(({ agent, reads }) => reads.map(({ from }) => `${from}->${agent}`)),
    ),
  );
  if (!recordedEdges.has(edge))
    throw configError(`--without: unknown edge ${edge}; use one of: ${[...recordedEdges].join(", ")}`, { edge });
}

async function recordedEpisodes(
  source: string,
  kind: "step" | "evaluation",
  note: (line: string) => void,
): Promise<RecordedEpisode[]> {
  const recorded: RecordedEpisode[] = [];
  if (source.endsWith(".jsonl"))
    for await (const row of eachLine(nodeFileSystem, source))
      recorded.push(gradedEpisode(row, source, recorded.length + 1));
  else for await (const episode of eachEpisode(folderSource(source), kind, note)) recorded.push(gradedEpisode(episode));
  if (recorded.length === 0)
    throw new LaconicError("run_missing", `no recorded episodes in ${source}`, { file: source });
  return recorded;
}

/** Answers of the last evaluation. */
export async function lastAnswers(run: string): Promise<GivenAnswer[]> {
  const settings = await readSettings(nodeFileSystem, run);
  const recorded: RecordedEpisode[] = [];
  for await (const shownEpisode of shownEpisodes(folderSource(run), settings)) recorded.push(shownEpisode);
  if (recorded.length === 0)
    throw new LaconicError("run_missing", `${run} has no recorded episodes`, { directory: run });
  const last = Math.max(...recorded.map(({ step }) => step));
  return recorded
    .filter(({ step }) => step === last)
    .map(({ problem, episode }) => ({
      id: problem.id,
      question: problem.question,
      answer: episode.answer ?? "",
      ...(problem.gold !== "" && { reference: problem.gold }),
    }));
}
