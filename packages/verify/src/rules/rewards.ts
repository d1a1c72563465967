import type { LedgerCall, Utterance } from "@laconic/core";
import type { Played } from "../played.ts";
import { total, type Numbers } from "./numbers.ts";
import type { CostSettings, TrainSettings } from "./settings.ts";

/** An episode's utterances and calls, or those of a round. */
export type Said = Pick<Played, "utterances"> & { readonly ledger: { readonly calls: readonly LedgerCall[] } };

/** Tokens, turns and repetition of Agent-GSPO's Eq. 1. */
const equation1: Readonly<Record<string, CostSettings>> = {
  tokens: { kind: "tokens-written" },
  turns: { kind: "turns", count: "spoken" },
  repetition: { kind: "repetition", n: 3, of: "words", against: "utterance" },
};

/** Units of each cost. */
export function costsOf({ costs }: Pick<TrainSettings, "costs">, { utterances, ledger }: Said): Numbers {
  const unitsOf = (cost: CostSettings): number => {
    const pays = ({ agent }: { readonly agent: string }): boolean => cost.by === undefined || cost.by === agent;
    const calls = ledger.calls.filter(pays);
    if (cost.kind === "tokens-written") return total(calls.map(({ writtenTokens }) => writtenTokens));
    if (cost.kind === "turns")
      return utterances.filter((each) => pays(each) && (cost.count === "all" || !each.silent)).length;
    if (cost.kind === "repetition") return repeatedShare(cost, utterances, pays);
    return total(calls.flatMap(({ reads }) => reads.map(({ tokens }) => tokens)));
  };
  return Object.fromEntries(Object.entries(costs ?? equation1).map(([name, cost]) => [name, unitsOf(cost)]));
}

/** n-grams that occurred before, over all n-grams. */
function repeatedShare(
  { n = 3, of, against }: CostSettings,
  utterances: readonly Utterance[],
  pays: (utterance: Utterance) => boolean,
): number {
  const before = new Set<string>();
  let [grams, repeated] = [0, 0];
  for (const utterance of utterances) {
    if (against === "utterance") before.clear();
    const text = utterance.text.toLowerCase();
    const pieces = of === "words" ? text.split(/\s+/u).filter(Boolean) : Array.from(text);
    for (let i = 0; i + n <= pieces.length; i++) {
      const gram = JSON.stringify(pieces.slice(i, i + n));
      grams += pays(utterance) ? 1 : 0;
      repeated += pays(utterance) && before.has(gram) ? 1 : 0;
      before.add(gram);
    }
  }
  return grams === 0 ? 0 : repeated / grams;
}

/** NaN without a grade. */
export const gradeOf = ({ score }: Pick<Played, "score">): number =>
  score?.status === "scored" ? (score.value ?? Number.NaN) : Number.NaN;

/** Agent-GSPO's Eq. 1: r = task - λ_tok tokens - λ_turn turns - λ_rep repetition, term by term. */
export function termsOf(episode: Pick<Played, "score">, costs: Numbers, prices: Numbers): Numbers {
  const charged = Object.entries(costs).map(([name, units]): [string, number] => {
    const price = prices[name] ?? 0;
    return [name, price === 0 ? 0 : -price * units];
  });
  return { ...(episode.score?.reward?.team ?? { task: gradeOf(episode) }), ...Object.fromEntries(charged) };
}
