import { sumKinds, type TokenCounts } from "@laconic/core/ledger";
import { grouped, meanOf, type Cluster, type Estimate } from "@laconic/core/numeric";
import { counted } from "@laconic/core/text";
import { sumShares, type ModelShare, type SampleRecord } from "../sample-record.ts";
import { clusteredWilson, pairedDifference, type Interval } from "./statistics.ts";

type OfRecords = "benchmark" | "method" | "setting" | "equalTo" | "protocol" | "shots" | "published" | "differs";

/** Results of a method on a benchmark. `protocol`, `shots` and `published` are null if records differ. */
export interface MethodSummary extends TokenCounts, Pick<SampleRecord, OfRecords> {
  /** Samples by note, such as `capped`. */
  readonly notes: Readonly<Record<string, number>>;
  readonly scored: number;
  readonly samples: number;
  /** Samples without a score; `undecided` ones lack only a verdict. */
  readonly errors: number;
  readonly undecided: number;
  readonly questions: number;
  /** Accuracy; null without a score. */
  readonly accuracy: Interval | null;
  readonly meanScore: number | null;
  readonly firstAttemptAccuracy: number | null;
  readonly unanswered: number;
  readonly calls: number;
  readonly criticalTokens: number;
  /** Seconds of the longest sequential path. */
  readonly meanCriticalSeconds: number | null;
  readonly usd: number | null;
  /** Call order. */
  readonly byModel: readonly ModelShare[];
  readonly meanSeconds: number;
  /** Accuracy minus the first method's, on common questions. */
  readonly difference: Estimate | null;
  /** Questions that both methods have scored. */
  readonly compared: number;
}

/** Summaries in order of first occurrence. */
export function summarise(records: Iterable<SampleRecord>): MethodSummary[] {
  const groups = grouped(records, ({ benchmark, method, setting }) => [benchmark, method, setting]);
  return groups.map((group) => {
    const { benchmark, setting } = group[0];
    const reference = groups.find(([first]) => first.benchmark === benchmark && first.setting === setting);
    return summaryOf(group, reference ?? group);
  });
}

function summaryOf(
  group: readonly [SampleRecord, ...SampleRecord[]],
  reference: readonly SampleRecord[],
): MethodSummary {
  const [{ benchmark, method, setting }] = group;
  const scored = group.filter(({ status }) => status === "scored");
  const firsts = scored.filter(({ attempt }) => attempt === 1);
  const sum = (of: (record: SampleRecord) => number) => scored.reduce((total, record) => total + of(record), 0);
  const right = (records: readonly SampleRecord[]) => records.filter(({ correct }) => correct === true).length;
  return {
    benchmark,
    method,
    setting,
    equalTo: scored.find(({ equalTo }) => equalTo !== null)?.equalTo ?? null,
    protocol: common(group.map(({ protocol }) => protocol)),
    shots: common(group.map(({ shots }) => shots)),
    published: common(group.map(({ published }) => published)),
    differs: [...new Set(group.flatMap(({ differs }) => differs))],
    notes: notesOf(scored),
    scored: scored.length,
    samples: group.length,
    errors: group.filter(({ status }) => status === "error").length,
    undecided: group.filter(({ status }) => status === "undecided").length,
    questions: new Set(group.map(({ problem }) => problem)).size,
    accuracy: clusteredWilson(byQuestion(scored)),
    meanScore: meanOf(scored.flatMap(({ score }) => score ?? [])),
    firstAttemptAccuracy: firsts.length === 0 ? null : right(firsts) / firsts.length,
    unanswered: scored.filter(({ extracted }) => extracted === null).length,
    promptTokens: sum(({ promptTokens }) => promptTokens),
    completionTokens: sum(({ completionTokens }) => completionTokens),
    ...sumKinds(scored),
    calls: sum(({ calls }) => calls),
    criticalTokens: sum(({ criticalTokens }) => criticalTokens),
    meanCriticalSeconds: meanOf(scored.flatMap(({ criticalSeconds }) => criticalSeconds ?? [])),
    usd: scored.some(({ usd }) => usd === null) || scored.length === 0 ? null : sum(({ usd }) => usd ?? 0),
    byModel: sumShares(scored.flatMap(({ byModel }) => byModel)),
    meanSeconds: scored.length === 0 ? 0 : sum(({ seconds }) => seconds) / scored.length,
    ...(group === reference ? { difference: null, compared: 0 } : differenceOf(scored, reference)),
  };
}

function common<T>(values: readonly (T | null)[]): T | null {
  return new Set(values).size === 1 ? (values[0] ?? null) : null;
}

function notesOf(records: readonly SampleRecord[]): Record<string, number> {
  const notes = records.flatMap((record) => [...new Set(record.notes)]);
  return Object.fromEntries(grouped(notes, (note) => note).map((same) => [same[0], same.length]));
}

/** Averages repeats by question. */
function differenceOf(
  group: readonly SampleRecord[],
  reference: readonly SampleRecord[],
): Pick<MethodSummary, "difference" | "compared"> {
  const [groupMeans, other] = [means(group), means(reference.filter(({ status }) => status === "scored"))];
  const pairs = [...groupMeans].flatMap(([problem, value]) =>
    other.has(problem) ? [[value, other.get(problem)!] as const] : [],
  );
  return { difference: pairedDifference([pairs], "difference"), compared: pairs.length };
}

function means(records: readonly SampleRecord[]): Map<string, number> {
  return new Map(byQuestion(records).map(({ problem, successes, trials }) => [problem, successes / trials]));
}

function byQuestion(records: readonly SampleRecord[]): (Cluster & Pick<SampleRecord, "problem">)[] {
  return grouped(records, ({ problem }) => problem).map((samples) => ({
    problem: samples[0].problem,
    successes: samples.filter(({ correct }) => correct === true).length,
    trials: samples.length,
  }));
}

/** Describes methods without any score or answer. */
export function deadResults(summaries: readonly MethodSummary[]): string[] {
  return summaries.flatMap(({ benchmark, method, samples, scored, errors, undecided, unanswered, accuracy }) => {
    const location = `${method} on ${benchmark}`;
    if (samples > 0 && scored === 0)
      return [
        `${location}: none of ${counted(samples, "sample")} has a score (${counted(errors, "error")}, ${undecided} undecided). Remove the cause, then continue with --resume.`,
      ];
    if (scored === 0 || unanswered < scored || accuracy?.value !== 0) return [];
    return [
      `${location}: no answer found in any of ${counted(scored, "reply", "replies")}. Raise --max-tokens, or check that replies end in the prompt's answer format.`,
    ];
  });
}
