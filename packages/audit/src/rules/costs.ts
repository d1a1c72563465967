import type { StoredEpisode } from "@laconic/core/run-folder";
import { total } from "./numbers.ts";
import type { LedgerCall, Utterance } from "@laconic/core";
import { named, type Known, type SettingsOf } from "./schema.ts";

const options = {
  "by?": "text",
  "from?": "text",
  "count?": ["spoken", "all"],
  "n?": "number",
  "of?": ["words", "characters"],
  "against?": ["utterance", "episode"],
  "maxTokens?": "number",
  "margin?": "number",
} as const;

type Options = SettingsOf<typeof options>;

/** A cost as a configuration names it. */
export type CostRow = Options & { readonly kind: string };

/** Tokens, turns and repetition of Agent-GSPO's Eq. 1. */
export const equation1: Readonly<Record<string, CostRow>> = {
  tokens: { kind: "tokens-written" },
  turns: { kind: "turns", count: "spoken" },
  repetition: { kind: "repetition", n: 3, of: "words", against: "utterance" },
};

/** An episode's utterances and calls, or those of some agents or of a round. */
export type Said = Pick<StoredEpisode<Utterance>, "utterances" | "ledger">;

/** What is counted: utterances, and the calls of agents whose cost it is. */
interface Counted {
  readonly calls: readonly LedgerCall[];
  readonly utterances: StoredEpisode<Utterance>["utterances"];
  readonly isMine: (agent: string) => boolean;
}

interface Cost {
  readonly reads: readonly (keyof Options)[];
  readonly units: (options: Options, counted: Counted) => number;
}

/** Every cost that is counted here; one that is added says which options it reads. */
const costs: Readonly<Record<string, Cost>> = {
  "tokens-written": { reads: ["by"], units: (_, { calls }) => total(calls.map((call) => call.writtenTokens)) },
  "tokens-read": {
    reads: ["by", "from"],
    units: ({ from }, { calls }) => {
      const reads = calls.flatMap((call) => call.reads);
      return total(reads.map((read) => (from === undefined || read.from === from ? read.tokens : 0)));
    },
  },
  turns: {
    reads: ["by", "count"],
    units: ({ count }, { utterances, isMine }) =>
      utterances.filter((each) => isMine(each.agent) && (count === "all" || !each.silent)).length,
  },
  repetition: { reads: ["by", "n", "of", "against"], units: repeatedShare },
  overlong: {
    reads: ["by", "maxTokens", "margin"],
    units: ({ maxTokens = 0, margin = 1 }, { calls }) =>
      total(calls.map((call) => Math.max(0, Math.min(1, (call.writtenTokens - maxTokens + margin) / margin)))),
  },
};

/** What is known of a cost's settings. */
export const knownCost: Known = named("kind", costs, options);

/** Units of a cost that an episode used; null for a kind that this audit does not know. */
export function unitsOf(cost: CostRow, { utterances, ledger }: Said): number | null {
  const { kind, by } = cost;
  const isMine = (agent: string): boolean => by === undefined || by === agent;
  const calls = ledger.calls.filter((call) => isMine(call.agent));
  return Object.hasOwn(costs, kind) ? (costs[kind] as Cost).units(cost, { calls, utterances, isMine }) : null;
}

/** n-grams that were said before, over all n-grams. */
function repeatedShare({ n = 3, of, against }: Options, { utterances, isMine }: Counted): number {
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
