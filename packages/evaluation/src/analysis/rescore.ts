import { dataError, ledgerTotals, statisticMean, statisticOf } from "@laconic/core";
import type { Episode, Problem, UnknownRecord } from "@laconic/core";
import { grouped } from "@laconic/core/numeric";
import type { RecordedEpisode, StoredTerms } from "@laconic/core/run-folder";
import { episodeSchema } from "@laconic/core/schemas";
import { equation1Costs, measureEpisode, rewardTerms, rewardTotal, type Prices } from "@laconic/rewards";

/** Rewards to recompute for recorded episodes. */
export interface RescoreOptions {
  readonly prices: Prices;
  /** Removed edges, `from->to`; written tokens stay. */
  readonly without: readonly string[];
}

/** Recorded episodes of one step under new rewards. */
export interface RescoredStep {
  readonly step: number;
  readonly episodes: number;
  /** Mean over the episodes. */
  readonly task: number;
  readonly writtenTokens: number;
  readonly readTokens: number;
  readonly reward: number;
  readonly terms: Readonly<Record<string, number>>;
}

/** Recomputes each step's means under other prices or edges. */
export function rescore(recorded: readonly RecordedEpisode[], { prices, without }: RescoreOptions): RescoredStep[] {
  const steps = grouped(recorded, ({ step }) => step).toSorted(([a], [b]) => a.step - b.step);
  return steps.map((episodes) => {
    const scored = episodes.map(({ problem, episode, task = NaN }) => {
      const retained = withoutEdges(episode, without);
      const measured = measureEpisode(() => task, equation1Costs, retained, problem);
      const terms = rewardTerms(measured, prices);
      const { writtenTokens, readTokens } = ledgerTotals(retained.ledger);
      return { terms, reward: rewardTotal(terms), writtenTokens, readTokens };
    });
    const mean = (pick: (item: (typeof scored)[number]) => number) =>
      statisticMean(statisticOf(scored.map(pick).filter((value) => !Number.isNaN(value))));
    return {
      step: episodes[0].step,
      episodes: scored.length,
      task: mean(({ terms }) => terms["task"] ?? NaN),
      writtenTokens: mean((item) => item.writtenTokens),
      readTokens: mean((item) => item.readTokens),
      reward: mean(({ reward }) => reward),
      terms: Object.fromEntries(
        Object.keys(scored[0]?.terms ?? {}).map((name) => [name, mean(({ terms }) => terms[name] ?? NaN)]),
      ),
    };
  });
}

function withoutEdges(episode: Episode, edges: readonly string[]): Episode {
  if (edges.length === 0) return episode;
  const gone = (from: string, to: string) => edges.includes(`${from}->${to}`);
  return {
    ...episode,
    utterances: episode.utterances.map((utterance) => ({
      ...utterance,
      deliveredTo: utterance.deliveredTo.filter((to) => !gone(utterance.agent, to)),
    })),
    ledger: {
      calls: episode.ledger.calls.map((call) => ({
        ...call,
        reads: call.reads.filter(({ from }) => !gone(from, call.agent)),
      })),
    },
  };
}

/** Reads a recorded episode or a transcript row. @throws LaconicError `data_invalid` with file and row */
export function gradedEpisode(recorded: UnknownRecord | RecordedEpisode, file = "the run", row = 1): RecordedEpisode {
  const { step = 0, problem, terms, task = (terms as StoredTerms | undefined)?.["task"] } = recorded;
  const episode = episodeSchema.safeParse(recorded.episode);
  if (!episode.success || typeof problem !== "object" || problem === null || (typeof task !== "number" && task != null))
    throw dataError(`${file}:${row}: not a recorded episode`, { file, row });
  return { step: Number(step), problem: problem as Problem, episode: episode.data, task: task ?? NaN };
}
