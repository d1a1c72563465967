import { LaconicError } from "@laconic/core";
import type { BaselineOptions } from "./baseline.ts";
import type { Phase, Protocol } from "./protocol.ts";

/** The kind of questions, and the benchmark, that a protocol is looked up by. */
export type Asked = Pick<BaselineOptions, "family" | "benchmark">;

/**
 * How a method is played on a benchmark: the protocol that names it, else the one of its family. Questions of no known kind are `text`.
 * @throws LaconicError `config_invalid` for a method without a protocol for such questions
 */
export function protocolFor<PhaseName extends string>(
  protocols: readonly Protocol<PhaseName>[],
  { family = "text", benchmark }: Asked,
): Protocol<PhaseName> {
  const fitting = protocols.filter(({ families }) => families.includes(family));
  const found =
    fitting.find(({ benchmarks }) => benchmark !== undefined && benchmarks?.includes(benchmark)) ??
    fitting.find(({ benchmarks }) => benchmarks === undefined);
  if (found) return found;
  const known = protocols.map(({ id }) => id).join(", ");
  throw new LaconicError("config_invalid", `no protocol of ${known} is for ${family} questions`, { family });
}

/** How records name a protocol, such as `php/maths@1`. */
export function protocolName({ id, version }: Protocol): string {
  return `${id}@${version}`;
}

/** What a line of a phase is spoken with. */
export interface PhaseSettings {
  readonly maxTokens: number;
  /** Absent: the episode's. */
  readonly temperature?: number;
}

/** Settings of a phase for `Stage.say`: a temperature that the caller chose goes before the protocol's, a ceiling never rises. */
export function phaseSettings(
  { temperature, maxTokens = Infinity }: Phase,
  options: Pick<BaselineOptions, "maxTokens" | "temperature">,
): PhaseSettings {
  return {
    maxTokens: Math.min(maxTokens, options.maxTokens),
    ...(temperature !== undefined && options.temperature === undefined && { temperature }),
  };
}

/** Rounds at most: the caller's, else the protocol's. */
export function roundsOf(protocol: Protocol, { rounds }: Pick<BaselineOptions, "rounds">): number {
  return rounds ?? protocol.rounds ?? 1;
}
