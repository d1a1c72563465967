import {
  broadcastAmplification,
  criticalPath,
  randomFromSeed,
  silenceRates,
  statisticMean,
  statisticOf,
  sumLedgers,
  type Episode,
} from "@laconic/core";
import {
  livePolicies,
  modelsOf,
  rewardOf,
  scorer,
  scoringFailure,
  scoringReport,
  type TrainConfig,
} from "@laconic/trainer";
import type { Terminal } from "../cli/terminal.ts";
import {
  commonMessages,
  messageValues,
  summariseValues,
  type CommonMessage,
  type Cut,
  type MessageValue,
  type ValueSummary,
} from "./message-value.ts";
import { speechEdges, type SpeechEdge } from "./speech-graph.ts";
import { findRun, openFoundRun } from "../run/open-run.ts";

/** A team on held-out problems: what it says, what that costs. */
export interface Speech {
  readonly episodes: number;
  /** Of the episodes, those without a score: they are left out of the accuracy. */
  readonly unscored: number;
  readonly accuracy: number;
  /** Means per episode. */
  readonly writtenTokens: number;
  readonly readTokens: number;
  /** Tokens that cannot be written in parallel. */
  readonly criticalTokens: number;
  /** Tokens read for each that somebody read; null where nobody reads. */
  readonly broadcastAmplification: number | null;
  readonly silence: Readonly<Record<string, number>>;
  readonly edges: readonly SpeechEdge[];
  readonly messages: readonly CommonMessage[];
}

export interface RunAnalysis {
  readonly step: number;
  readonly problems: number;
  readonly cut: Cut;
  readonly agents: readonly string[];
  readonly before: Speech;
  readonly after: Speech;
  /** What messages are worth after training: all, and by agent. */
  readonly values: ValueSummary;
  readonly byAgent: Readonly<Record<string, ValueSummary>>;
  /** The dearest mistakes and the best words: lowest and highest values. */
  readonly extremes: readonly MessageValue[];
}

export interface AnalyseOptions {
  readonly problems: number;
  readonly seed: string;
  readonly cut: Cut;
  readonly which: "latest" | "best";
}

/**
 * Measures what a run's team says on held-out problems, as it began and as it is, and what its messages are worth.
 * @throws LaconicError `run_missing`, `checkpoint_missing`, `checkpoint_corrupt`; `scoring_failed` where too few answers get a
 * score
 */
export async function analyseRun(directory: string, options: AnalyseOptions, terminal: Terminal): Promise<RunAnalysis> {
  const run = await findRun(directory, options.which);
  const { config, state } = run;
  const played = async (trained: boolean, cut: Cut | null): Promise<Played> => {
    const { parts, close } = await openFoundRun(run, terminal, { trained });
    try {
      return await play(parts, options, config.train, cut);
    } finally {
      await close();
    }
  };
  const before = await played(false, null);
  const after = await played(true, options.cut);
  const values = after.values.filter(({ value }) => !Number.isNaN(value));
  const sorted = values.toSorted((a, b) => a.value - b.value);
  return {
    step: state.step,
    problems: after.episodes.length,
    cut: options.cut,
    agents: after.agents,
    before: speechOf(before),
    after: speechOf(after),
    values: summariseValues(values),
    byAgent: Object.fromEntries(
      [...new Set(values.map(({ agent }) => agent))].map((agent) => [
        agent,
        summariseValues(values.filter((each) => each.agent === agent)),
      ]),
    ),
    extremes: [
      ...sorted.slice(0, 3).filter(({ value }) => value < 0),
      ...sorted.slice(-3).filter(({ value }) => value > 0),
    ],
  };
}

interface Played {
  readonly agents: readonly string[];
  readonly episodes: readonly Episode[];
  readonly grades: readonly number[];
  readonly values: readonly MessageValue[];
}

async function play(
  parts: Parameters<typeof livePolicies>[0],
  { problems, seed }: AnalyseOptions,
  { sampling, scoring }: Pick<TrainConfig, "sampling" | "scoring">,
  cut: Cut | null,
): Promise<Played> {
  const { topology, heldOut } = parts.task;
  const scoreOf = scorer(parts.reward ?? rewardOf(parts.task), scoring);
  const models = modelsOf(parts, livePolicies(parts));
  const random = randomFromSeed(seed).split("analysis");
  const results = await Promise.all(
    heldOut.slice(0, problems).map(async (problem, i) => {
      const context = { models, sampling, random: random.split(i) };
      const valueOf = async (each: Episode): Promise<number> => {
        const score = await scoreOf(each, problem);
        return score?.status === "scored" ? score.value : Number.NaN;
      };
      const { episode, values } = cut
        ? await messageValues(topology, problem, context, valueOf, cut)
        : { episode: await topology.run(problem, context), values: [] };
      const score = await scoreOf(episode, problem);
      return { episode, values, score, grade: score?.status === "scored" ? score.value : Number.NaN };
    }),
  );
  const failure = scoringFailure(scoringReport(results.map(({ score }) => score)), scoring, "the analysis");
  if (failure) throw failure;
  return {
    agents: topology.agents,
    episodes: results.map(({ episode }) => episode),
    grades: results.map((each) => each.grade),
    values: results.flatMap(({ values }) => values),
  };
}

function speechOf({ episodes, grades }: Played): Speech {
  const count = Math.max(1, episodes.length);
  const sums = sumLedgers(episodes.map(({ ledger }) => ledger));
  const utterances = episodes.flatMap((episode) => episode.utterances);
  const amplified = episodes.map(({ ledger }) => broadcastAmplification(ledger)).filter((each) => each !== null);
  return {
    episodes: episodes.length,
    unscored: grades.filter((grade) => Number.isNaN(grade)).length,
    accuracy: statisticMean(statisticOf(grades.filter((grade) => !Number.isNaN(grade)))),
    writtenTokens: sums.writtenTokens / count,
    readTokens: sums.readTokens / count,
    criticalTokens: statisticMean(statisticOf(episodes.map(({ ledger }) => criticalPath(ledger).writtenTokens))),
    broadcastAmplification: amplified.length === 0 ? null : statisticMean(statisticOf(amplified)),
    silence: silenceRates(utterances),
    edges: speechEdges(episodes),
    messages: commonMessages(utterances),
  };
}
