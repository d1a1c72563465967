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

/** A published figure, and how it is played here. */
export interface LedgerRow {
  readonly paper: "agent-gspo" | "agentpo" | "magrpo";
  readonly place: string;
  /** The paper's name of the row. */
  readonly row: string;
  /** Here; null for one that has to be trained first, or that is not here. */
  readonly method: string | null;
  readonly benchmark: string;
  readonly split: string;
  readonly n: number | null;
  readonly model: string;
  /** As printed, with everything that its cell holds. */
  readonly figure: string;
  /** Published texts that its requests are written with; null for our words. */
  readonly exemplars: string | null;
  readonly protocol: string | null;
  readonly decoding: string;
  /** What the paper leaves open. */
  readonly open: string;
  /** What differs; empty for one that is faithful once the published texts are here. */
  readonly differs: string;
  readonly command: string;
  readonly calls: number | null;
  readonly completionTokens: number | null;
}

/** What a row says of how it is played. */
export type Played = Omit<LedgerRow, "paper" | "place" | "row" | "model" | "figure" | "open" | "command">;

/** One that has to be trained, or that is not here. */
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

/** The questions of a benchmark that a table is of. */
export function askedOf(benchmark: string): Pick<Played, "benchmark" | "split" | "n"> {
  const { defaultSplit, splits } = benchmarkNamed(benchmark);
  return { benchmark, split: defaultSplit, n: splits[defaultSplit]?.rows ?? null };
}

/** A method of this project on a benchmark. */
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

/** A method over several benchmarks, for a figure that is their average: sums, and everything that differs somewhere. */
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
