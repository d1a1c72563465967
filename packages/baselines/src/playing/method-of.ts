import type { Topology } from "@laconic/core";
import type { Baseline, BaselineOptions, MethodSize, PromptCopies } from "../protocols/baseline.ts";
import { protocolFor } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";

/** A published method: how a team is made of a protocol, and its bounds where the caller sizes it otherwise. */
export interface MethodDefinition<PhaseName extends string> {
  readonly name: string;
  readonly title: string;
  readonly protocols: readonly Protocol<PhaseName>[];
  create(protocol: Protocol<PhaseName>, options: BaselineOptions): Topology;
  /** Default: the protocol's. */
  maxCalls?(protocol: Protocol<PhaseName>, size: MethodSize): number;
  maxCopies(protocol: Protocol<PhaseName>, size: MethodSize): PromptCopies;
}

/** A method that reads everything it is played by from its protocols; what is said of it in tables follows from them too. */
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
    source: distinct(protocols.map(({ source }) => source)).join("; "),
    calls: distinct(protocols.map(({ calls }) => callsText(calls))).join(", or "),
    temperature: protocols[0]?.temperature ?? 0,
    create: (options) => create(protocolFor(protocols, options), options),
    maxCalls: (size) => maxCalls(protocolFor(protocols, size), size),
    maxCopies: (size) => maxCopies(protocolFor(protocols, size), size),
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

function callsText({ least, most }: Protocol["calls"]): string {
  return least === most ? String(most) : `${least} to ${most}`;
}
