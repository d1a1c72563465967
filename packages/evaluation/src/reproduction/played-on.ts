import {
  baselineNamed,
  describeProtocol,
  familyOf,
  ownWords,
  protocolFor,
  protocolName,
  replyCeiling,
  scriptNameOf,
  type Baseline,
} from "@laconic/baselines";
import { benchmarkNamed } from "@laconic/benchmarks";
import { trainedRows, type Claim, type TrainedRow } from "../published.ts";

/** How a figure is compared with ours. */
export type Comparison =
  /** Per cent of right answers: score test, or Fisher's exact test. */
  | { readonly kind: "share"; readonly percent: number }
  /** Statements that our 95 % intervals must allow. */
  | { readonly kind: "claims"; readonly claims: readonly Claim[] }
  | { readonly kind: "none"; readonly reason: string };

/** Published figure, and how we play it. */
export interface LedgerRow {
  readonly paper: "agent-gspo" | "agentpo" | "magrpo";
  readonly place: string;
  readonly row: string;
  /** Method of `bench`, or name in `reproduce --run-of NAME=RUN`; null if unknown. */
  readonly method: string | null;
  readonly isTrained: boolean;
  readonly benchmark: string;
  readonly split: string;
  readonly n: number | null;
  readonly model: string;
  /** Cell as printed. */
  readonly figure: string;
  /** Work that took the figure, and its temperature. */
  readonly takenBy: string;
  /** Temperature of that work; null if not stated. */
  readonly temperature: string | null;
  readonly comparison: Comparison;
  /** Published texts; null for our wording. */
  readonly exemplars: string | null;
  readonly protocol: string | null;
  readonly decoding: string;
  readonly ourTemperature: string;
  /** Unspecified in the paper. */
  readonly open: string;
  /** Departures from the published setting, each once; empty if faithful. */
  readonly differs: readonly string[];
  readonly command: string;
  readonly training: string | null;
  readonly calls: number | null;
  readonly completionTokens: number | null;
}

type Stated = "paper" | "place" | "row" | "model" | "figure" | "takenBy" | "temperature" | "comparison" | "open";

export type Played = Omit<LedgerRow, Stated | "command">;

/** Whether a command plays the row and a test compares its figure. */
export function isComparable({ method, comparison }: LedgerRow): boolean {
  return method !== null && comparison.kind !== "none";
}

/** Row of a trained run, or of an unknown method. @param name - row of {@link trainedRows} */
export function trainedOn(name: string | null, benchmark: string, asked?: Pick<Played, "split" | "n">): Played {
  const row = name === null ? undefined : trainedRows[name];
  return {
    benchmark,
    split: "test",
    n: null,
    ...asked,
    method: name,
    isTrained: name !== null,
    exemplars: null,
    protocol: null,
    decoding: "as trained",
    ourTemperature: "as trained",
    differs: row ? ["Departures depend on the settings of the run."] : [],
    training: row?.command ?? null,
    calls: null,
    completionTokens: null,
  };
}

/** Settings of a run that differ from the published ones, by name. */
export function departuresOf(
  { published }: Pick<TrainedRow, "published">,
  settings: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(published).flatMap(([name, value]) => {
    const ours = settings[name] ?? "none";
    const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    if (value === null) return [`${title} is not published; ours: ${ours}.`];
    return settings[name] === value ? [] : [`${title} differs: ${ours}, published ${value}.`];
  });
}

export function askedOf(benchmark: string): Pick<Played, "benchmark" | "split" | "n"> {
  const { defaultSplit, splits } = benchmarkNamed(benchmark);
  return { benchmark, split: defaultSplit, n: splits[defaultSplit]?.rows ?? null };
}

export function playedOn(name: string, benchmark: string): Played {
  const method: Baseline = baselineNamed(name);
  const size = { benchmark, family: familyOf(benchmarkNamed(benchmark).answer.kind) };
  const protocol = protocolFor(method.protocols ?? [], size);
  const exemplars = scriptNameOf(protocol, benchmark);
  const { n, ...rest } = askedOf(benchmark);
  const calls = (n ?? 0) * method.maxCalls(size);
  const differences = exemplars === null && !protocol.own ? [ownWords] : [];
  const { temperature, ceiling } = describeProtocol(protocol);
  return {
    ...rest,
    n,
    method: name,
    isTrained: false,
    training: null,
    exemplars,
    protocol: protocolName(protocol),
    decoding: `temperature ${temperature}; max tokens ${ceiling}`,
    ourTemperature: temperature,
    differs: [...differences, ...protocol.differs],
    calls,
    completionTokens: calls * replyCeiling(protocol),
  };
}

export function playedOver(name: string, benchmarks: readonly string[], title: string): Played {
  const group = benchmarks.map((benchmark) => playedOn(name, benchmark));
  const total = (of: (row: Played) => number | null) => group.reduce((sum, row) => sum + (of(row) ?? 0), 0);
  const all = (of: (row: Played) => string | null) => [...new Set(group.flatMap((row) => of(row) ?? []))].join(", ");
  return {
    benchmark: title,
    split: "test",
    method: name,
    isTrained: false,
    training: null,
    n: total(({ n }) => n),
    exemplars: all(({ exemplars }) => exemplars) || null,
    protocol: all(({ protocol }) => protocol),
    decoding: all(({ decoding }) => decoding),
    ourTemperature: all(({ ourTemperature }) => ourTemperature),
    differs: [...new Set(group.flatMap(({ differs }) => differs))],
    calls: total(({ calls }) => calls),
    completionTokens: total(({ completionTokens }) => completionTokens),
  };
}
