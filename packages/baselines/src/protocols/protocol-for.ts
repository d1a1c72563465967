import { configError } from "@laconic/core";
import table from "../../assets/protocols.json" with { type: "json" };
import type { BaselineOptions } from "./baseline.ts";
import type { Protocol, Phase } from "./protocol.ts";

/** `assets/protocols.json`. */
interface Table {
  readonly defaults: Partial<Protocol>;
  readonly methods: Readonly<Record<string, { readonly shared?: Partial<Protocol>; readonly protocols: Protocol[] }>>;
}

const { defaults, methods } = table as unknown as Table;

const groups: Readonly<Record<string, readonly string[]>> = {
  words: ["gsm8k", "multiarith", "svamp"],
  contests: ["math500", "aime24", "amc23", "minerva", "olympiadbench"],
  mmlu: ["mmlu", "mmlu-153"],
  functions: ["humaneval", "humaneval-161"],
};

export function protocolsOf<PhaseName extends string>(method: string): readonly Protocol<PhaseName>[] {
  const { shared, protocols = [] } = methods[method] ?? {};
  return protocols.map((own) => {
    const protocol: Protocol = { ...defaults, ...shared, ...own };
    const scripts = Object.entries(protocol.scripts ?? {}).flatMap(([key, script]) =>
      (groups[key] ?? [key]).map((benchmark) => [benchmark, script]),
    );
    return { ...protocol, ...(protocol.scripts && { scripts: Object.fromEntries(scripts) }) };
  });
}

/** Options that select a protocol. */
export type Asked = Pick<BaselineOptions, "family" | "benchmark">;

/**
 * A method's protocol for a benchmark, else for its family (default `text`).
 * @throws LaconicError `config_invalid` without a match
 */
export function protocolFor<PhaseName extends string>(
  protocols: readonly Protocol<PhaseName>[],
  { family = "text", benchmark }: Asked,
): Protocol<PhaseName> {
  const fitting = protocols.filter(({ families }) => families.includes(family));
  const match =
    fitting.find(({ benchmarks }) => benchmark !== undefined && benchmarks?.includes(benchmark)) ??
    fitting.find(({ benchmarks }) => benchmarks === undefined);
  if (match) return match;
  const names = protocols.map(({ id }) => id).join(", ");
  throw configError(`none of ${names} has a protocol for ${family} questions`, { family });
}

/** Name in records, such as `php/maths@1`. */
export function protocolName({ id, version }: Protocol): string {
  return `${id}@${version}`;
}

/** The caller's temperature and the lower token limit apply. */
export function phaseSettings(
  { temperature, maxTokens = Infinity }: Phase,
  options: Pick<BaselineOptions, "maxTokens" | "temperature">,
): { readonly maxTokens: number; readonly temperature?: number } {
  return {
    maxTokens: Math.min(maxTokens, options.maxTokens),
    ...(temperature !== undefined && options.temperature === undefined && { temperature }),
  };
}

export function roundsOf(protocol: Protocol, { rounds }: Pick<BaselineOptions, "rounds">): number {
  return rounds ?? protocol.rounds ?? 1;
}
