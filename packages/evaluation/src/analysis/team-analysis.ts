import { statisticMean, statisticOf, type Episode } from "@laconic/core";
import { grouped } from "@laconic/core/numeric";
import {
  broadcastAmplification,
  criticalPath,
  silenceRates,
  sumLedgers,
  costBreakdown,
  meanBreakdown,
} from "@laconic/core/ledger";
import {
  commonMessages,
  summariseValues,
  type CommonMessage,
  type Cut,
  type MessageValue,
  type ValueSummary,
} from "./message-value.ts";

/** Graded episodes of a team. */
export interface PlayedTeam {
  readonly agents: readonly string[];
  readonly episodes: readonly Episode[];
  /** Grade per episode; NaN without a score. */
  readonly grades: readonly number[];
  /** Empty if not measured; NaN is ignored. */
  readonly values: readonly MessageValue[];
}

/** Messages of a team, and their cost. */
export interface Speech {
  readonly episodes: number;
  /** Episodes without a score, excluded from accuracy. */
  readonly unscored: number;
  readonly accuracy: number;
  readonly writtenTokens: number;
  readonly readTokens: number;
  /** Tokens of the longest sequential path. */
  readonly criticalTokens: number;
  /** Tokens read per written token with a reader; null without readers. */
  readonly broadcastAmplification: number | null;
  readonly silence: Readonly<Record<string, number>>;
  readonly edges: readonly SpeechEdge[];
  readonly messages: readonly CommonMessage[];
}

/** A team's messages before and after training. */
export interface TeamAnalysis {
  readonly step: number;
  readonly problems: number;
  readonly cut: Cut;
  readonly agents: readonly string[];
  readonly before: Speech;
  readonly after: Speech;
  readonly valuesBefore: ValueSummary | null;
  readonly values: ValueSummary;
  readonly byAgent: Readonly<Record<string, ValueSummary>>;
  readonly extremes: readonly MessageValue[];
}

/** Compares episodes before and after training on the same problems. */
export function analyseTeam(
  before: PlayedTeam,
  after: PlayedTeam,
  { step, cut }: { readonly step: number; readonly cut: Cut },
): TeamAnalysis {
  const valuesOf = ({ values: all }: PlayedTeam): MessageValue[] => all.filter(({ value }) => !Number.isNaN(value));
  const [old, values] = [valuesOf(before), valuesOf(after)];
  const sorted = values.toSorted((a, b) => a.value - b.value);
  return {
    step,
    problems: after.episodes.length,
    cut,
    agents: after.agents,
    before: speechOf(before),
    after: speechOf(after),
    valuesBefore: old.length === 0 ? null : summariseValues(old),
    values: summariseValues(values),
    byAgent: Object.fromEntries(
      grouped(values, ({ agent }) => agent).map((messages) => [messages[0].agent, summariseValues(messages)]),
    ),
    extremes: [
      ...sorted.slice(0, 3).filter(({ value }) => value < 0),
      ...sorted.slice(-3).filter(({ value }) => value > 0),
    ],
  };
}

/** Mean message statistics of the episodes. */
export function speechOf({ episodes, grades }: PlayedTeam): Speech {
  const count = Math.max(1, episodes.length);
  const sums = sumLedgers(episodes.map(({ ledger }) => ledger));
  const utterances = episodes.flatMap((episode) => episode.utterances);
  const amplified = episodes.map(({ ledger }) => broadcastAmplification(ledger)).filter((value) => value !== null);
  return {
    episodes: episodes.length,
    unscored: grades.filter(Number.isNaN).length,
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

/** Tokens per episode that `to` reads from `from`. */
export interface SpeechEdge {
  readonly from: string;
  readonly to: string;
  readonly tokens: number;
}

/** Mean tokens along each edge. */
export function speechEdges(episodes: readonly Episode[]): SpeechEdge[] {
  const { edges } = meanBreakdown(episodes.map((episode) => costBreakdown(episode, [])));
  return edges.map(({ from, to, tokens }) => ({ from, to, tokens }));
}
