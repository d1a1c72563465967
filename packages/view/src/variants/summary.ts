import { ledgerTotals } from "@laconic/core";
import { grouped, meanOf, studentTest, type Estimate } from "@laconic/core/numeric";
import { frontierOf, holm, hypervolume, pairedDifference, tokensAtAccuracy } from "@laconic/evaluation";
import { runFolder, type VariantResult } from "@laconic/runtime";
import { eachEpisode, folderSource } from "@laconic/trainer/reading";

/** Variant over its seeds. */
export interface SweepRow {
  readonly variant: string;
  readonly about: string;
  readonly seeds: number;
  readonly accuracy: number;
  readonly tokens: number;
  /** Accuracy minus price times tokens; null without a price. */
  readonly score: number | null;
  readonly onFrontier: boolean;
  /** Difference to the first variant; null for the first. */
  readonly accuracyDifference: Difference | null;
  readonly tokenDifference: Difference | null;
  readonly scoreDifference: Difference | null;
}

/** Difference to the first variant with 95 % interval, paired by seed and problem. */
export interface Difference extends Estimate {
  /** Two-sided, Student's t over seeds, Holm-corrected; null without spread between seeds. */
  readonly p: number | null;
}

/** Result of a sweep or ablation. */
export interface SweepSummary {
  readonly rows: readonly SweepRow[];
  /** Dominated share of the plane, up to the untrained team's tokens. */
  readonly hypervolume: number;
  /** Untrained, after any warm start: mean over runs. */
  readonly before: Side;
  /** Before the warm start; null unless all runs had one. */
  readonly beforeLessons: Side | null;
  /** Frontier tokens at the untrained team's accuracy; null if no variant reaches it. */
  readonly tokensAtStartAccuracy: number | null;
  /** Scored, minimum over runs. */
  readonly problems: number;
  /** `test` if every run has measured it. */
  readonly split: "test" | "validation";
  /** Score per token. */
  readonly price: number | null;
}

type Side = VariantResult["after"];

interface Measured {
  readonly task: number;
  readonly tokens: number;
}

/** Keyed by seed and problem. */
type MeasuredRuns = ReadonlyMap<number, ReadonlyMap<string, Measured>>;

/** Summarises a sweep from its results and recorded episodes. @param price - score per token */
export async function summariseSweep(
  folder: string,
  results: readonly VariantResult[],
  price: number | null = null,
): Promise<SweepSummary> {
  const variants = byVariant(results);
  const { split, endOf } = endsOf(results);
  const measured: MeasuredRuns[] = [];
  for (const { runs } of variants) measured.push(await measuredOf(folder, runs, split));
  const points = variants.map(({ name, runs }) => ({ variant: name, ...meanSide(runs.map(endOf)) }));
  const frontier = new Set(frontierOf(points).map(({ variant }) => variant));
  const before = meanSide(results.map((result) => result.before));
  const earlier = results.flatMap(({ beforeLessons }) => beforeLessons ?? []);
  const differences = differencesOf(measured, price);
  return {
    rows: points.map(({ variant, accuracy, tokens }, i) => {
      const { runs = [] } = variants[i] ?? {};
      const [accuracyDifference = null, tokenDifference = null, scoreDifference = null] = differences[i] ?? [];
      return {
        variant,
        about: runs[0]?.about ?? "",
        seeds: runs.length,
        accuracy,
        tokens,
        score: price === null ? null : accuracy - price * tokens,
        onFrontier: frontier.has(variant),
        accuracyDifference,
        tokenDifference,
        scoreDifference,
      };
    }),
    hypervolume: hypervolume(points, before.tokens),
    before,
    beforeLessons: earlier.length === results.length && earlier.length > 0 ? meanSide(earlier) : null,
    tokensAtStartAccuracy: tokensAtAccuracy(points, before.accuracy),
    problems: Math.min(...measured.flatMap((runs) => [...runs.values()].map(({ size }) => size))),
    split,
    price,
  };
}

export function byVariant(
  results: readonly VariantResult[],
): readonly { readonly name: string; readonly runs: readonly VariantResult[] }[] {
  return grouped(results, ({ variant }) => variant).map((runs) => ({ name: runs[0].variant, runs }));
}

/** End of each run: on test problems if all runs have measured them, else on validation problems. */
export function endsOf(results: readonly VariantResult[]): {
  readonly split: "test" | "validation";
  readonly endOf: (result: VariantResult) => Side;
} {
  return results.every(({ test }) => test !== undefined)
    ? { split: "test", endOf: ({ test, after }) => test ?? after }
    : { split: "validation", endOf: ({ after }) => after };
}

export function meanSide(sides: readonly Side[]): Side {
  return {
    accuracy: meanOf(sides.map(({ accuracy }) => accuracy)) ?? 0,
    tokens: meanOf(sides.map(({ tokens }) => tokens)) ?? 0,
  };
}

/** Differences in accuracy, tokens and, with a price, score; empty for the first variant. */
function differencesOf(measured: readonly MeasuredRuns[], price: number | null): (readonly (Difference | null)[])[] {
  const [first, ...others] = measured;
  if (!first) return [];
  const measures = [
    { kind: "difference", of: ({ task }: Measured) => task },
    { kind: "amount", of: ({ tokens }: Measured) => tokens },
    ...(price === null ? [] : [{ kind: "amount", of: ({ task, tokens }: Measured) => task - price * tokens } as const]),
  ] as const;
  const compared = others.map((runs) =>
    measures.map(({ kind, of }) => {
      const pairs = [...runs].map(([seed, problems]) =>
        [...problems].flatMap(([id, result]) => {
          const base = first.get(seed)?.get(id);
          return base ? [[of(result), of(base)] as const] : [];
        }),
      );
      const estimate = pairedDifference(pairs, kind);
      const means = pairs.flatMap((seed) => meanOf(seed.map(([a, b]) => a - b)) ?? []);
      return estimate && { ...estimate, p: studentTest(means) };
    }),
  );
  const corrected = holm(compared.flat().map((difference) => difference?.p ?? null));
  return [
    [],
    ...compared.map((row, i) =>
      row.map((difference, j) => difference && { ...difference, p: corrected[i * measures.length + j] ?? null }),
    ),
  ];
}

/** Scored; of the test or last evaluation. */
async function measuredOf(
  folder: string,
  results: readonly VariantResult[],
  split: SweepSummary["split"],
): Promise<MeasuredRuns> {
  const bySeed = new Map<number, Map<string, Measured>>();
  for (const { variant, seed } of results) {
    let last = 0;
    const problems = new Map<string, Measured>();
    const source = folderSource(runFolder(folder, variant, seed));
    for await (const { step, task, problem, episode } of eachEpisode(
      source,
      split === "test" ? "test" : "evaluation",
    )) {
      if (step !== last) problems.clear();
      last = step;
      if (typeof task === "number")
        problems.set(problem.id, { task, tokens: ledgerTotals(episode.ledger).writtenTokens });
    }
    bySeed.set(seed, problems);
  }
  return bySeed;
}
