import type { Topology } from "@laconic/core";
import type { Baseline, BaselineOptions, MethodSize, PromptCopies } from "../protocols/baseline.ts";
import { protocolFor } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";

interface MethodDefinition<PhaseName extends string> {
  readonly name: string;
  readonly title: string;
  readonly protocols: readonly Protocol<PhaseName>[];
  create(protocol: Protocol<PhaseName>, options: BaselineOptions): Topology;
  /** Default: the protocol's. */
  maxCalls?(protocol: Protocol<PhaseName>, size: MethodSize): number;
  maxCopies(protocol: Protocol<PhaseName>, size: MethodSize): PromptCopies;
}

export function methodOf<PhaseName extends string>({
  name,
  title,
  protocols,
  create,
  maxCalls = ({ calls }) => calls.most,
  maxCopies,
}: MethodDefinition<PhaseName>): Baseline {
  return {
    name,
    title,
    protocols,
    temperature: protocols[0]?.temperature ?? 0,
    create: (options) => create(protocolFor(protocols, options), options),
    maxCalls: (size) => maxCalls(protocolFor(protocols, size), size),
    maxCopies: (size) => maxCopies(protocolFor(protocols, size), size),
  };
}
