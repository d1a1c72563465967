import { type AgentId, type Episode, countTokens } from "@laconic/core";
import { checkCount, checkOption } from "./check-option.ts";

/** Scope of a cost; the whole team without keys. `from` and `by` together name one edge, sender to reader. */
export interface CostScope {
  /** Count only what this agent wrote, or read, or said. */
  readonly by?: AgentId;
  /** Count only what was read from this sender. */
  readonly from?: AgentId;
}

/** One thing an episode can be charged for. Measuring knows no price. */
export interface Cost {
  /** What one unit is, in words: the whole definition. */
  readonly unit: string;
  readonly scope: CostScope;
  /** Zero or more, in `unit`; NaN when the cost does not apply to this episode. */
  measure(episode: Episode): number;
}

/** Costs by term name, for example `tokens`. */
export type Costs = Readonly<Record<string, Cost>>;

/** Price of one unit by term name: the λ of Eq. 1. A cost without a price is measured and free. */
export type Prices = Readonly<Record<string, number>>;

/** tokens(y) of Eq. 1: sampled tokens, end tokens included, so silence costs its end token. */
export function tokensWritten(scope: Pick<CostScope, "by"> = {}): Cost {
  const { by } = scope;
  return {
    unit: "tokens written, end tokens included",
    scope,
    measure: ({ ledger }) => countTokens(ledger, { kind: "tokens-written", ...(by !== undefined && { by }) }),
  };
}

/** Tokens of messages read, without their end tokens; every reader counts, and reading again counts again. */
export function tokensRead(scope: CostScope = {}): Cost {
  const { by, from } = scope;
  return {
    unit: "tokens read, once per reader and reading",
    scope,
    measure: ({ ledger }) =>
      countTokens(ledger, {
        kind: "tokens-read",
        ...(by !== undefined && { by }),
        ...(from !== undefined && { from }),
      }),
  };
}

/** Which turns count. */
export interface TurnOptions extends Pick<CostScope, "by"> {
  /** `spoken` leaves silent turns out; `all` counts every turn taken, a constant where the graph fixes who speaks. */
  readonly count: "spoken" | "all";
}

/** turns(y) of Eq. 1: utterances of an episode. @throws LaconicError `config_invalid`. */
export function turns({ count, by }: TurnOptions = { count: "spoken" }): Cost {
  checkOption("turns.count", count, count === "spoken" || count === "all", `"spoken" or "all"`);
  return {
    unit: count === "spoken" ? "utterances that are not silent" : "utterances, silent ones included",
    scope: by === undefined ? {} : { by },
    measure: ({ utterances }) =>
      utterances.filter(
        (utterance) => (by === undefined || utterance.agent === by) && (count === "all" || !utterance.silent),
      ).length,
  };
}

/** From which length on an utterance costs. */
export interface OverlongOptions extends Pick<CostScope, "by"> {
  /** L: from here on an utterance costs 1. */
  readonly maxTokens: number;
  /** c: the cost rises from 0 over the last c tokens before L. */
  readonly margin: number;
}

/**
 * DAPO's soft overlong punishment: per utterance 0 up to L - c tokens, (tokens - (L - c)) / c up to L, 1 above; summed over the
 * utterances in scope. Price 1 is DAPO (L = 20480, c = 4096).
 * @throws LaconicError `config_invalid`
 */
export function overlong({ maxTokens, margin, by }: OverlongOptions): Cost {
  checkCount("overlong.maxTokens", maxTokens);
  const fits = Number.isInteger(margin) && margin >= 1 && margin <= maxTokens;
  checkOption("overlong.margin", margin, fits, `a whole number from 1 to maxTokens, ${maxTokens}`);
  const free = maxTokens - margin;
  return {
    unit: `utterances beyond ${maxTokens} tokens, in part from ${free} on`,
    scope: by === undefined ? {} : { by },
    measure: ({ ledger }) =>
      ledger.calls
        .filter((call) => by === undefined || call.agent === by)
        .reduce((sum, call) => sum + Math.min(1, Math.max(0, (call.writtenTokens - free) / margin)), 0),
  };
}

/** What counts as said before. */
export interface RepetitionOptions extends Pick<CostScope, "by"> {
  /** Length of an n-gram, in `of`. */
  readonly n: number;
  /** `words` are separated by white space; `characters` are Unicode code points. Case is ignored in both. */
  readonly of: "words" | "characters";
  /** `utterance`: said before in the same utterance. `episode`: or in any earlier utterance of any agent. */
  readonly against: "utterance" | "episode";
}

/**
 * repetition(y) of Eq. 1, which the paper leaves undefined: the share, 0 to 1, of repeated n-grams over the utterances in scope; 0
 * without n-grams. Within an utterance this is 1 - distinct / total.
 * @throws LaconicError `config_invalid`
 */
export function repetition(options: RepetitionOptions = { n: 3, of: "words", against: "utterance" }): Cost {
  const { n, of, against, by } = options;
  checkOptions(options);
  return {
    unit: `share of ${n}-grams of ${of} said before in the ${against}`,
    scope: by === undefined ? {} : { by },
    measure({ utterances }) {
      let total = 0;
      let repeated = 0;
      let said = new Set<string>();
      for (const { agent, text } of utterances) {
        if (against === "utterance") said = new Set();
        const counts = by === undefined || agent === by;
        for (const ngram of ngrams(text, n, of)) {
          if (counts) {
            total += 1;
            if (said.has(ngram)) repeated += 1;
          }
          said.add(ngram);
        }
      }
      return total === 0 ? 0 : repeated / total;
    },
  };
}

/** Joining is unambiguous: words have no spaces, and joined code points alternate with spaces. */
function ngrams(text: string, n: number, of: RepetitionOptions["of"]): string[] {
  const lower = text.toLowerCase();
  const units = of === "words" ? lower.split(/\s+/u).filter((word) => word !== "") : Array.from(lower);
  return units.slice(n - 1).map((_, start) => units.slice(start, start + n).join(" "));
}

function checkOptions({ n, of, against }: RepetitionOptions): void {
  checkCount("repetition.n", n);
  checkOption("repetition.of", of, of === "words" || of === "characters", `"words" or "characters"`);
  const scopes = `"utterance" or "episode"`;
  checkOption("repetition.against", against, against === "utterance" || against === "episode", scopes);
}
