import table from "../../assets/protocols.json" with { type: "json" };
import type { Protocol } from "./protocol.ts";

/** `assets/protocols.json`: what protocols have where they say nothing else, and each method's. */
interface Table {
  readonly defaults: Partial<Protocol>;
  readonly methods: Readonly<Record<string, { readonly shared?: Partial<Protocol>; readonly protocols: Protocol[] }>>;
}

const { defaults, methods } = table as unknown as Table;

/** Benchmarks that share their scripts, by the key that stands for them in the table. */
const groups: Readonly<Record<string, readonly string[]>> = {
  words: ["gsm8k", "multiarith", "svamp"],
  contests: ["math500", "aime24", "amc23", "minerva", "olympiadbench"],
  mmlu: ["mmlu", "mmlu-153"],
  functions: ["humaneval", "humaneval-161"],
};

/** The protocols of a method in the table: the defaults, what its protocols share, and what each sets itself. */
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
