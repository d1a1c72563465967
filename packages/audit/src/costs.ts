import type { AuditedEpisode } from "./record.ts";

/** A cost as a configuration names it. */
export interface CostRow {
  readonly kind: string;
  readonly by?: string;
  readonly from?: string;
  readonly count?: string;
  readonly n?: number;
  readonly of?: string;
  readonly against?: string;
  readonly maxTokens?: number;
  readonly margin?: number;
}

/** Tokens, turns and repetition of Agent-GSPO's Eq. 1. */
export const equation1: Readonly<Record<string, CostRow>> = {
  tokens: { kind: "tokens-written" },
  turns: { kind: "turns", count: "spoken" },
  repetition: { kind: "repetition", n: 3, of: "words", against: "utterance" },
};

/** An episode's utterances and calls, or those of some agents or of a round. */
export type Said = Pick<AuditedEpisode, "utterances" | "ledger">;

/** Units of a cost that an episode used; null for a kind that this audit does not know. */
export function unitsOf(cost: CostRow, { utterances, ledger }: Said): number | null {
  const { by, from } = cost;
  const isMine = (agent: string): boolean => by === undefined || by === agent;
  const calls = ledger.calls.filter((call) => isMine(call.agent));
  switch (cost.kind) {
    case "tokens-written":
      return total(calls.map((call) => call.writtenTokens));
    case "tokens-read":
      return total(
        calls.flatMap((call) => call.reads.map((read) => (from === undefined || read.from === from ? read.tokens : 0))),
      );
    case "turns":
      return utterances.filter((each) => isMine(each.agent) && (cost.count === "all" || !each.silent)).length;
    case "repetition":
      return repeatedShare(cost, utterances, isMine);
    case "overlong": {
      const { maxTokens = 0, margin = 1 } = cost;
      return total(calls.map((call) => Math.max(0, Math.min(1, (call.writtenTokens - maxTokens + margin) / margin))));
    }
    default:
      return null;
  }
}

/** n-grams that were said before, over all n-grams. */
function repeatedShare(
  { n = 3, of, against }: CostRow,
  utterances: AuditedEpisode["utterances"],
  isMine: (agent: string) => boolean,
): number {
  const before: string[][] = [];
  let grams = 0;
  let again = 0;
  for (const { agent, text } of utterances) {
    if (against === "utterance") before.length = 0;
    const small = text.toLowerCase();
    const pieces = of === "words" ? small.split(/\s+/u).filter(Boolean) : Array.from(small);
    for (let at = 0; at + n <= pieces.length; at++) {
      const gram = pieces.slice(at, at + n);
      if (isMine(agent)) {
        grams += 1;
        again += before.some((other) => other.every((piece, i) => piece === gram[i])) ? 1 : 0;
      }
      before.push(gram);
    }
  }
  return grams === 0 ? 0 : again / grams;
}

export const total = (values: readonly number[]): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
};
