import { agentErrorOf } from "./agent-errors.ts";
import { scoringFailure, scoringReport } from "./stages/scoring-failure.ts";
import { LaconicError, sampleStream } from "@laconic/core";
import type { AgentId, EpisodeContext, Problem, Sampling } from "@laconic/core";
import { silenceRates } from "@laconic/core/ledger";
import { studentInterval, wilsonInterval } from "@laconic/core/numeric";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import { scoreValue, type ScoreCounts } from "@laconic/rewards";
import { agentGspoDefaults, type ScoringSettings, type TrainConfig } from "./settings/config.ts";
import { checkEpisode } from "./stages/checked-values.ts";
import { attempts, streamOfAttempt } from "./stages/group-rollout.ts";
import { languageOf, saidTexts, type Language } from "./language.ts";
import { rewardOf, scorer } from "./scorer.ts";
import { measureValues } from "./measure-values.ts";
import type { OpponentResult } from "./opponents/games.ts";
import type { Rollout } from "./rollout.ts";
import { modelsOf, type Samplers, type TrainingParts } from "./spec/parts.ts";

/** Results of a team on some problems. */
export interface Measured {
  readonly problems: number;
  readonly accuracy: number;
  /** 95 % interval of the accuracy: Wilson's for grades in 0..1, else Student's t; null for equal scores. */
  readonly interval: readonly [low: number, high: number] | null;
  /** Mean tokens written per episode, with end tokens. */
  readonly tokens: number;
  /** Means of the reward's and the task's measures. */
  readonly measures?: Readonly<Record<string, number>>;
  /** Language by trained agent; absent without a stored first policy. */
  readonly language?: Readonly<Record<AgentId, Language>>;
}

/** Results of a team on a split. */
export interface Evaluation extends Measured {
  readonly step: number;
  /** Results by problem group. */
  readonly groups?: Readonly<Record<string, Measured>>;
  /** Share of empty turns by agent. */
  readonly silence: Readonly<Record<string, number>>;
  /** Absent in evaluations of older versions. */
  readonly scoring?: ScoreCounts;
  /** Results on the same problems by opponent name. */
  readonly opponents?: Readonly<Record<string, OpponentResult>>;
}

export interface EvaluateOptions {
  readonly seed: string | number;
  readonly step: number;
  /** Default test. */
  readonly split?: "validation" | "test";
  readonly problems: number;
  readonly sampling: Sampling;
  readonly limits?: EpisodeContext["limits"];
  /** Default `throw`. The setting `end` excludes the problem from the accuracy. */
  readonly onError?: EpisodeContext["onError"];
  /** Replays of an episode after a model error. Default 0. */
  readonly retries?: number;
  readonly scoring?: ScoringSettings;
  /** First policies, for language measures. */
  readonly references?: Samplers;
}

/** Sampling of evaluations: their own temperature, or the training's; 1 instead of a schedule. */
export function evaluationSampling({ sampling, evaluation }: Pick<TrainConfig, "sampling" | "evaluation">): Sampling {
  const trained = typeof sampling.temperature === "number" ? sampling.temperature : 1;
  return { ...sampling, temperature: evaluation.temperature ?? trained };
}

/** Returns the evaluation's options with defaults. */
export function evaluationOptions(config: TrainConfig): Omit<EvaluateOptions, "step"> {
  const { seed, limits, onAgentError: onError, scoring, evaluation, asynchronous } = config;
  const { problems } = evaluation;
  return {
    seed,
    problems,
    sampling: evaluationSampling(config),
    limits,
    onError,
    scoring,
    retries: asynchronous?.retries ?? 0,
  };
}

/**
 * Samples one episode per problem. Random streams depend only on seed and problem, so evaluations differ only by the
 * weights. Problems without a score are not in the accuracy.
 * @throws LaconicError `scoring_failed` if too few or no problems have a score
 */
export async function evaluate(
  parts: TrainingParts,
  samplers: Samplers,
  options: EvaluateOptions,
): Promise<{ readonly evaluation: Evaluation; readonly episodes: readonly RecordedEpisode[] }> {
  const { step, scoring = agentGspoDefaults.scoring } = options;
  const models = modelsOf(parts, samplers);
  const played = await playProblems(parts, () => models, options);
  const report = scoringReport(played.map(({ score }) => score));
  const failure = scoringFailure(report, scoring, `the evaluation at step ${step}`);
  if (failure) throw failure;
  const episodes = played.map(({ score, ...rest }): RecordedEpisode => ({ step, ...rest, task: scoreValue(score) }));
  if (episodes.length > 0 && episodes.every(({ task = Number.NaN }) => Number.isNaN(task)))
    throw new LaconicError(
      "scoring_failed",
      `the evaluation at step ${step}: all ${episodes.length} episodes ended with an agent error, so no answer exists; ${agentErrorOf(played.map(({ episode }) => episode))}`,
      { step },
    );
  const measured = await measuring(parts, played, options);
  const groups = [...new Set(episodes.flatMap(({ problem: { group = [] } }) => group))].toSorted();
  const within = (name: string): Measured => measured(episodes.filter(({ problem: { group } }) => group === name));
  return {
    episodes,
    evaluation: {
      step,
      ...measured(episodes),
      ...(groups.length > 0 && { groups: Object.fromEntries(groups.map((group) => [group, within(group)])) }),
      silence: silenceRates(episodes.flatMap(({ episode }) => episode.utterances)),
      scoring: report.counts,
    },
  };
}

/** Problems of a split; test problems replace missing validation problems. */
export function problemsOfSplit(
  { validation, testProblems }: Pick<TrainingParts["task"], "validation" | "testProblems">,
  split: "validation" | "test" = "test",
): readonly Problem[] {
  return split === "validation" ? (validation ?? testProblems) : testProblems;
}

type Judged = Pick<Rollout, "problem" | "episode" | "score">;

/** Plays all problems concurrently. @param modelsAt - models by problem index */
export function playProblems(
  parts: TrainingParts,
  modelsAt: (index: number) => EpisodeContext["models"],
  options: EvaluateOptions,
): Promise<Judged[]> {
  const { problems, sampling, limits, onError, retries = 0, scoring = agentGspoDefaults.scoring } = options;
  const { topology } = parts.task;
  const scoreOf = scorer(rewardOf(parts.task), scoring, topology.agents);
  return Promise.all(
    problemsOfSplit(parts.task, options.split)
      .slice(0, problems)
      .map(async (problem, i) => {
        const episode = await attempts(retries, (attempt) =>
          topology.run(problem, {
            models: modelsAt(i),
            sampling,
            random: streamOfAttempt(sampleStream(options.seed, i), attempt),
            isEvaluation: true,
            ...(limits && { limits }),
            ...(onError && { onError }),
          }),
        );
        checkEpisode(topology.name, episode);
        return { problem, episode, score: await scoreOf(episode, problem) };
      }),
  );
}

async function measuring(
  parts: TrainingParts,
  played: readonly Judged[],
  { references = {}, sampling }: EvaluateOptions,
): Promise<(some: readonly RecordedEpisode[]) => Measured> {
  const all = played.map(({ episode }) => episode);
  const texts = await saidTexts(parts, references, all, sampling.temperature);
  const judgedOf = new Map(played.map((judged) => [judged.episode, judged]));
  const mean = (values: readonly number[], count = values.length): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, count);
  return (some) => {
    const episodes = some.map(({ episode }) => episode);
    const grades = some.map(({ task = Number.NaN }) => task).filter((task) => !Number.isNaN(task));
    const tokens = episodes.flatMap(({ ledger }) => ledger.calls.map(({ writtenTokens }) => writtenTokens));
    const counted = measureValues(
      episodes.flatMap((episode) => judgedOf.get(episode) ?? []),
      played,
    );
    const measures = [
      ...[...counted].flatMap(([name, values]) => (values.length === 0 ? [] : [[name, mean(values)] as const])),
      ...Object.entries(parts.task.across?.(some) ?? {}).filter(([, value]) => !Number.isNaN(value)),
    ];
    return {
      problems: some.length,
      accuracy: mean(grades),
      interval: grades.every((grade) => grade >= 0 && grade <= 1)
        ? wilsonInterval(
            grades.reduce((sum, grade) => sum + grade, 0),
            grades.length,
          )
        : studentInterval(grades),
      tokens: mean(tokens, some.length),
      ...(measures.length > 0 && { measures: Object.fromEntries(measures) }),
      ...(texts.size > 0 && { language: languageOf(episodes, texts) }),
    };
  };
}
