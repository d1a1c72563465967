import { createHash } from "node:crypto";
import {
  familyOf,
  baselineNamed,
  chooseShots,
  promptVersion,
  protocolFor,
  protocolName,
  type Baseline,
  type Exemplar,
  type Protocol,
} from "@laconic/baselines";
import { type BenchmarkProblem } from "@laconic/benchmarks";
import { sampleKey, type SampleRecord } from "./sample-record.ts";

/** Questions of one benchmark. */
export interface BenchSet {
  readonly benchmark: string;
  readonly split: string;
  readonly problems: readonly BenchmarkProblem[];
  /** For few-shot methods, from another split: all there are, in an order by seed; each method chooses as its protocol says. */
  readonly exemplars: readonly Exemplar[];
  /** For methods that learn before they are scored; from another split too. */
  readonly calibration: readonly BenchmarkProblem[];
}

/** Everything that decides what a bench computes. */
export interface BenchSettings {
  /** Id of the model and of its server, for the records. */
  readonly model: string;
  readonly methods: readonly string[];
  readonly repeats: number;
  readonly seed: string | number;
  /** Of every method; null takes each paper's. */
  readonly temperature: number | null;
  readonly maxTokens: number;
  /** Worked examples of every method; null or absent takes each paper's. */
  readonly shots?: number | null;
}

/** One sample to take. */
export interface BenchJob {
  readonly set: BenchSet;
  readonly problem: BenchmarkProblem;
  readonly method: Baseline;
  /** How the method is played; null for a team that is not published. */
  readonly protocol: Protocol | null;
  /** The worked examples that it shows. */
  readonly exemplars: readonly Exemplar[];
  readonly repeat: number;
  readonly config: string;
  readonly key: string;
}

/**
 * All samples, by benchmark, method, repeat, question; without those of questions that a method cannot deal ({@link undealt}).
 * @param methods - those that the settings name; methods that are not published are given here
 */
export function benchJobs(
  sets: readonly BenchSet[],
  settings: BenchSettings,
  methods: readonly Baseline[] = settings.methods.map((name) => baselineNamed(name)),
): BenchJob[] {
  return sets.flatMap((set) =>
    methods.flatMap((method) => {
      const protocol = protocolOf(method, set);
      const exemplars = protocol
        ? chooseShots(protocol.shots, set.exemplars, settings.shots ?? undefined)
        : set.exemplars.slice(0, settings.shots ?? 0);
      const config = configHash(set, method.identity ?? method.name, protocol, exemplars, settings);
      return Array.from({ length: settings.repeats }, (_, repeat) =>
        dealable(method, set).map((problem): BenchJob => {
          const sample = { benchmark: set.benchmark, problem: problem.id, method: method.name, repeat, config };
          return { set, problem, method, protocol, exemplars, repeat, config, key: sampleKey(sample) };
        }),
      ).flat();
    }),
  );
}

/** How a method is played on a benchmark's questions; null for a team that is not published. */
export function protocolOf({ protocols }: Baseline, { benchmark, problems: [problem] }: BenchSet): Protocol | null {
  if (!protocols) return null;
  return protocolFor(protocols, { benchmark, ...(problem && { family: familyOf(problem.grading.kind) }) });
}

/** Questions that a method cannot deal among its agents: they are left out of its samples. */
export function undealt(method: Baseline, set: BenchSet): number {
  return set.problems.length - dealable(method, set).length;
}

function dealable({ deal }: Baseline, { problems }: BenchSet): readonly BenchmarkProblem[] {
  return deal ? problems.filter((problem) => deal(problem) !== null) : problems;
}

/** Settings that change a sample; how many questions are asked does not. */
function configHash(
  { benchmark, split }: BenchSet,
  method: string,
  protocol: Protocol | null,
  exemplars: readonly Exemplar[],
  { model, seed, temperature, maxTokens }: BenchSettings,
): string {
  const parts = [
    promptVersion,
    method,
    protocol && protocolName(protocol),
    benchmark,
    split,
    model,
    seed,
    temperature,
    maxTokens,
    exemplars.map(({ question, answer }) => [question, answer]),
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

/** What is left to do: what was never taken, and what failed. */
export function openJobs(jobs: readonly BenchJob[], records: ReadonlyMap<string, SampleRecord>): BenchJob[] {
  return jobs.filter(({ key }) => records.get(key)?.status !== "scored");
}
