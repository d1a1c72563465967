import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomFromSeed, type Episode } from "@laconic/core";
import {
  analyseTeam,
  messageValues,
  type Cut,
  type MessageValue,
  type PlayedTeam,
  type TeamAnalysis,
} from "@laconic/evaluation/analysis";
import {
  livePolicies,
  modelsOf,
  rewardOf,
  scorer,
  scoringFailure,
  scoringReport,
  type TrainConfig,
  evaluationSampling,
} from "@laconic/trainer";
import { scoreValue } from "@laconic/rewards";
import {
  configOfRun,
  findRun,
  openFoundRun,
  openRun,
  type FoundRun,
  type OpenedParts,
  type Progress,
  type RunChoice,
} from "@laconic/runtime";
import { actorSpending, type ActorCap } from "@laconic/runtime/spending";
import { analysisMarkdown } from "./analysis-tables.ts";

/** Options of `analyseRun`. */
export interface AnalyseOptions extends RunChoice {
  readonly problems: number;
  readonly seed: string;
  readonly cut: Cut;
}

/** Value of a message: a line of `message-values.jsonl`. */
export interface WorthOfMessage extends MessageValue {
  /** Step of the trained team. */
  readonly step: number;
  readonly cut: Cut;
  readonly problem: string;
}

/** Team analysis and values of its messages. */
export interface RunAnalysis {
  readonly analysis: TeamAnalysis;
  readonly messages: readonly WorthOfMessage[];
}

interface Played extends PlayedTeam {
  readonly worth: readonly Omit<WorthOfMessage, "step" | "cut">[];
}

/**
 * Measures the messages of a run's team on validation problems before and after training, and their value.
 * @throws LaconicError `run_missing`, `checkpoint_missing`, `checkpoint_corrupt`; `scoring_failed` for too few scores
 */
export async function analyseRun(
  directory: string,
  options: AnalyseOptions,
  progress: Progress,
  cap: ActorCap = {},
): Promise<RunAnalysis> {
  const spending = await actorSpending((await configOfRun(directory)).actor, cap);
  const played = async ({ parts, close }: OpenedParts, { train }: FoundRun["config"]): Promise<Played> => {
    try {
      return await play(parts, options, train);
    } finally {
      await close();
    }
  };
  const first = await findRun(directory, options);
  const before = await played(await openFoundRun(first, progress, { trained: false, spending }), first.config);
  const { opened, config, state } = await openRun(directory, options, async (found) => ({
    ...found,
    opened: await openFoundRun(found, progress, { spending }),
  }));
  const after = await played(opened, config);
  const { step } = state;
  const messages = after.worth.map((each) => ({ step, cut: options.cut, ...each }));
  return { analysis: analyseTeam(before, after, { step, cut: options.cut }), messages };
}

async function play(
  parts: Parameters<typeof livePolicies>[0],
  { problems, seed, cut }: AnalyseOptions,
  config: TrainConfig,
): Promise<Played> {
  const { limits, onAgentError: onError, scoring } = config;
  const sampling = evaluationSampling(config);
  const { topology } = parts.task;
  // The problems of the evaluations, because the dashboard shows message values with those episodes.
  const testProblems = parts.task.validation ?? parts.task.testProblems;
  const scoreOf = scorer(rewardOf(parts.task), scoring);
  const models = modelsOf(parts, livePolicies(parts));
  const random = randomFromSeed(seed).split("analysis");
  const results = await Promise.all(
    testProblems.slice(0, problems).map(async (problem, i) => {
      const context = { models, sampling, limits, onError, random: random.split(i) };
      const judge = { score: (each: Episode) => scoreOf(each, problem), valueOf: scoreValue };
      return messageValues(topology, problem, context, judge, cut);
    }),
  );
  const failure = scoringFailure(scoringReport(results.map(({ score }) => score)), scoring, "the analysis");
  if (failure) throw failure;
  return {
    agents: topology.agents,
    episodes: results.map(({ episode }) => episode),
    grades: results.map(({ score }) => scoreValue(score)),
    values: results.flatMap(({ values }) => values),
    worth: results.flatMap(({ episode, values }) => values.map((each) => ({ problem: episode.problemId, ...each }))),
  };
}

/** Writes `analysis.json`, `analysis.md` and `message-values.jsonl` into the run folder. @returns the Markdown */
export async function writeAnalysis(run: string, { analysis, messages }: RunAnalysis): Promise<string> {
  const markdown = analysisMarkdown(analysis);
  await writeFile(join(run, "analysis.json"), `${JSON.stringify(analysis, null, 2)}\n`);
  await writeFile(join(run, "analysis.md"), markdown);
  await writeFile(join(run, "message-values.jsonl"), messages.map((each) => `${JSON.stringify(each)}\n`).join(""));
  return markdown;
}
