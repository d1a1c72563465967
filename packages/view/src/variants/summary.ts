import { ledgerTotals } from "@laconic/core";
import { meanOf as meanOfNumbers, studentTest, type Estimate } from "@laconic/core/numeric";
import { frontierOf, holm, hypervolume, pairedDifference, tokensAtAccuracy } from "@laconic/evaluation";
import { runFolder, type VariantResult } from "@laconic/runtime";
import { eachEpisode, folderSource } from "@laconic/trainer/reading";

/** A variant over its seeds. */
export interface SweepRow {
  readonly variant: string;
  readonly about: string;
  readonly seeds: number;
  readonly accuracy: number;
  readonly tokens: number;
  /** Accuracy less price times tokens; null without a price. */
  readonly score: number | null;
  /** Nobody of the sweep is cheaper and better. */
  readonly onFrontier: boolean;
  /** Against the first variant, null for the first. */
  readonly accuracyDifference: Difference | null;
  readonly tokenDifference: Difference | null;
  readonly scoreDifference: Difference | null;
}

/** A difference from the first variant with its 95 % interval, seed by seed on the same problems. */
export interface Difference extends Estimate {
  /** Two-sided, by Student's t over the seeds, after Holm's correction over all differences of the table; null where seeds show no spread. */
  readonly p: number | null;
}

/** What the runs of a sweep or an ablation came to. */
export interface SweepSummary {
  readonly rows: readonly SweepRow[];
  /** Share of the plane up to the untrained team's tokens that the sweep dominates. */
  readonly hypervolume: number;
  /** The untrained team, after the warm start where there was one: mean over all runs. */
  readonly before: Side;
  /** Before the warm start; null where not all runs had some. */
  readonly beforeLessons: Side | null;
  /** Tokens of the frontier at the untrained team's accuracy; null where none is as good. */
  readonly tokensAtStartAccuracy: number | null;
  /** Validation problems with a score, the fewest of any run. */
  readonly problems: number;
  /** Of which problems all figures but those before training are: the test's where every run has measured them. */
  readonly split: "test" | "validation";
  /** Of a token in scores; null without one. */
  readonly price: number | null;
}

type Side = VariantResult["after"];

interface Measured {
  readonly task: number;
  readonly tokens: number;
}

/** By seed and problem. */
type MeasuredRuns = ReadonlyMap<number, ReadonlyMap<string, Measured>>;

/**
 * What a sweep came to, from its results and the validation episodes in its runs.
 * @param price - of a token in scores
 */
export async function summariseSweep(
  folder: string,
  results: readonly VariantResult[],
  price: number | null = null,
): Promise<SweepSummary> {
  const { split } = endsOf(results);
  const measured: MeasuredRuns[] = [];
  for (const { runs } of byVariant(results)) measured.push(await measuredOf(folder, runs, split));
  return summaryOf(results, measured, price);
}

/** The same of results alone: differences are of the runs' means, each over so many problems. */
export function summariseResults(
  results: readonly VariantResult[],
  problems: number,
  price: number | null = null,
): SweepSummary {
  const { endOf } = endsOf(results);
  const measured = byVariant(results).map(
    ({ runs }): MeasuredRuns =>
      new Map(
        runs.map((run) => {
          const { accuracy, tokens } = endOf(run);
          return [run.seed, new Map([["mean", { task: accuracy, tokens }]])];
        }),
      ),
  );
  return { ...summaryOf(results, measured, price), problems };
}

function summaryOf(
  results: readonly VariantResult[],
  measured: readonly MeasuredRuns[],
  price: number | null,
): SweepSummary {
  const variants = byVariant(results);
  const { split, endOf } = endsOf(results);
  const points = variants.map(({ name, runs }) => ({ variant: name, ...meanOf(runs.map(endOf)) }));
  const frontier = new Set(frontierOf(points).map(({ variant }) => variant));
  const before = meanOf(results.map((each) => each.before));
  const earlier = results.flatMap(({ beforeLessons }) => beforeLessons ?? []);
  const differences = differencesOf(measured, price);
  return {
    rows: variants.map(({ name, runs }, i) => {
      const { accuracy, tokens } = points[i] as (typeof points)[number];
      const [accuracyDifference = null, tokenDifference = null, scoreDifference = null] = differences[i] ?? [];
      return {
        variant: name,
        about: runs[0]?.about ?? "",
        seeds: runs.length,
        accuracy,
        tokens,
        score: price === null ? null : accuracy - price * tokens,
        onFrontier: frontier.has(name),
        accuracyDifference,
        tokenDifference,
        scoreDifference,
      };
    }),
    hypervolume: hypervolume(points, before.tokens),
    before,
    beforeLessons: earlier.length === results.length && earlier.length > 0 ? meanOf(earlier) : null,
    tokensAtStartAccuracy: tokensAtAccuracy(points, before.accuracy),
    problems: Math.min(...measured.flatMap((runs) => [...runs.values()].map(({ size }) => size))),
    split,
    price,
  };
}

/** The results of each variant, in the order in which variants come first. */
export function byVariant(
  results: readonly VariantResult[],
): readonly { readonly name: string; readonly runs: readonly VariantResult[] }[] {
  const names = [...new Set(results.map(({ variant }) => variant))];
  return names.map((name) => ({ name, runs: results.filter(({ variant }) => variant === name) }));
}

/** Where each run ended: on the test problems where all have measured them, or else on the validation problems. */
export function endsOf(results: readonly VariantResult[]): {
  readonly split: "test" | "validation";
  readonly endOf: (result: VariantResult) => Side;
} {
  return results.every(({ test }) => test !== undefined)
    ? { split: "test", endOf: ({ test, after }) => test ?? after }
    : { split: "validation", endOf: ({ after }) => after };
}

/** The mean point of several. */
export function meanOf(sides: readonly Side[]): Side {
  const mean = (pick: (side: Side) => number): number =>
    sides.reduce((sum, side) => sum + pick(side), 0) / Math.max(1, sides.length);
  return { accuracy: mean(({ accuracy }) => accuracy), tokens: mean(({ tokens }) => tokens) };
}

/** Of each variant from the first: of accuracy, of tokens and, with a price, of scores. Nothing of the first. */
function differencesOf(measured: readonly MeasuredRuns[], price: number | null): (readonly (Difference | null)[])[] {
  const [first, ...others] = measured;
  if (!first) return [];
  const measures = [
    { kind: "difference", of: ({ task }: Measured) => task },
    { kind: "amount", of: ({ tokens }: Measured) => tokens },
    ...(price === null ? [] : [{ kind: "amount", of: ({ task, tokens }: Measured) => task - price * tokens } as const]),
  ] as const;
  const compared = others.map((own) => measures.map(({ kind, of }) => comparison(pairsOf(own, first, of), kind)));
  const corrected = holm(compared.flat().map((each) => each?.p ?? null));
  return [
    [],
    ...compared.map((row, i) =>
      row.map((each, j) => each && { ...each, p: corrected[i * measures.length + j] ?? null }),
    ),
  ];
}

type Pairs = readonly (readonly [own: number, first: number])[];

function comparison(runs: readonly Pairs[], kind: "difference" | "amount"): Difference | null {
  const means = runs.flatMap((pairs) => meanOfNumbers(pairs.map(([a, b]) => a - b)) ?? []);
  const estimate = pairedDifference(runs, kind);
  return estimate && { ...estimate, p: studentTest(means) };
}

/** Of each seed, the problems that both have. */
function pairsOf(own: MeasuredRuns, first: MeasuredRuns, of: (measured: Measured) => number): Pairs[] {
  return [...own].map(([seed, problems]) =>
    [...problems].flatMap(([id, each]) => {
      const other = first.get(seed)?.get(id);
      return other ? [[of(each), of(other)] as const] : [];
    }),
  );
}

/** Episodes that have a score, of the test or of the last evaluation, of each seed. */
async function measuredOf(
  folder: string,
  results: readonly VariantResult[],
  split: SweepSummary["split"],
): Promise<MeasuredRuns> {
  const found = new Map<number, Map<string, Measured>>();
  for (const { variant, seed } of results) {
    let last = 0;
    const problems = new Map<string, Measured>();
    const source = folderSource(runFolder(folder, variant, seed));
    const kind = split === "test" ? "test" : "evaluation";
    for await (const { step, task, problem, episode } of eachEpisode(source, kind)) {
      if (step !== last) problems.clear();
      last = step;
      if (typeof task === "number")
        problems.set(problem.id, { task, tokens: ledgerTotals(episode.ledger).writtenTokens });
    }
    found.set(seed, problems);
  }
  return found;
}
