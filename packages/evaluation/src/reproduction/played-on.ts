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

/** Published figure, and how we play it. */
export interface LedgerRow {
  readonly paper: "agent-gspo" | "agentpo" | "magrpo";
  readonly place: string;
  readonly row: string;
  /** Null if it needs training or is missing. */
  readonly method: string | null;
  readonly benchmark: string;
  readonly split: string;
  readonly n: number | null;
  readonly model: string;
  /** Cell as printed. */
  readonly figure: string;
  /** Published texts; null for our wording. */
  readonly exemplars: string | null;
  readonly protocol: string | null;
  readonly decoding: string;
  /** Unspecified in the paper. */
  readonly open: string;
  /** Empty if faithful. */
  readonly differs: string;
  readonly command: string;
  readonly calls: number | null;
  readonly completionTokens: number | null;
}

/** How a row is played. */
export type Played = Omit<LedgerRow, "paper" | "place" | "row" | "model" | "figure" | "open" | "command">;

/** Row that is not played. */
export function notPlayed(benchmark: string, differs: string, asked?: Pick<Played, "split" | "n">): Played {
  return {
    benchmark,
    split: "test",
    n: null,
    ...asked,
    method: null,
    exemplars: null,
    protocol: null,
    decoding: "as trained",
    differs,
    calls: null,
    completionTokens: null,
  };
}

export function askedOf(benchmark: string): Pick<Played, "benchmark" | "split" | "n"> {
  const { defaultSplit, splits } = benchmarkNamed(benchmark);
  return { benchmark, split: defaultSplit, n: splits[defaultSplit]?.rows ?? null };
}

/** Row of our method on a benchmark. */
export function playedOn(name: string, benchmark: string): Played {
  const method: Baseline = baselineNamed(name);
  const size = { benchmark, family: familyOf(benchmarkNamed(benchmark).answer.kind) };
  const protocol = protocolFor(method.protocols ?? [], size);
  const exemplars = scriptNameOf(protocol, benchmark);
  const { n, ...rest } = askedOf(benchmark);
  const calls = (n ?? 0) * method.maxCalls(size);
  const words = exemplars === null && !protocol.own ? [ownWords] : [];
  const { temperature, ceiling } = describeProtocol(protocol);
  return {
    ...rest,
    n,
    method: name,
    exemplars,
    protocol: protocolName(protocol),
    decoding: `temperature ${temperature}; max tokens ${ceiling}`,
    differs: [...words, ...protocol.differs].join(" "),
    calls,
    completionTokens: calls * replyCeiling(protocol),
  };
}

/** Row of an average over benchmarks. */
export function playedOver(name: string, benchmarks: readonly string[], title: string): Played {
  const each = benchmarks.map((benchmark) => playedOn(name, benchmark));
  const total = (of: (row: Played) => number | null): number => each.reduce((sum, row) => sum + (of(row) ?? 0), 0);
  const all = (of: (row: Played) => string | null): string =>
    [...new Set(each.flatMap((row) => of(row) ?? []))].join(", ");
  const differs = [...new Set(each.map((row) => row.differs))].filter((text) => text !== "");
  return {
    benchmark: title,
    split: "test",
    method: name,
    n: total(({ n }) => n),
    exemplars: all(({ exemplars }) => exemplars) || null,
    protocol: all(({ protocol }) => protocol),
    decoding: all(({ decoding }) => decoding),
    differs: differs.join(" "),
    calls: total(({ calls }) => calls),
    completionTokens: total(({ completionTokens }) => completionTokens),
  };
}
