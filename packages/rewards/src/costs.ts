import { type AgentId, type Episode, type TokenCount, countTokens, present } from "@laconic/core";
import { checkChoice, checkCount, checkOption } from "./check-option.ts";

/** Scope of a cost. Default: the whole team. Together, `from` and `by` select one edge. */
export interface CostScope {
  /** Writer, reader or speaker. */
  readonly by?: AgentId;
  /** Sender. */
  readonly from?: AgentId;
}

/** Cost of an episode, before prices. */
export interface Cost {
  /** Definition of one unit, in prose. */
  readonly unit: string;
  readonly scope: CostScope;
  /** Counted tokens of a per-token cost. */
  readonly tokens?: TokenCount;
  /** Cost >= 0 in `unit`; NaN if not applicable. */
  measure(episode: Episode): number;
}

/** Costs by term name. */
export type Costs = Readonly<Record<string, Cost>>;

/** λ of Eq. 1 by term name. Costs without a price are free. */
export type Prices = Readonly<Record<string, number>>;

/** tokens(y) of Eq. 1, with end tokens, so silence costs its end token. */
export function tokensWritten(scope: Pick<CostScope, "by"> = {}): Cost {
  return tokenCost("tokens-written", "tokens written, end tokens included", scope);
}

/** Message tokens read, without end tokens. Each reading counts. */
export function tokensRead(scope: CostScope = {}): Cost {
  return tokenCost("tokens-read", "tokens read, once per reader and reading", scope);
}

function tokenCost(kind: TokenCount["kind"], unit: string, { by, from }: CostScope): Cost {
  const scope = present({ by, from });
  const tokens = { kind, ...scope };
  return { unit, scope, tokens, measure: ({ ledger }) => countTokens(ledger, tokens) };
}

/** Options of {@link turns}. */
export interface TurnOptions extends Pick<CostScope, "by"> {
  /** `spoken` skips silent turns. `all` is constant if the graph fixes the speakers. */
  readonly count: "spoken" | "all";
}

/**
 * turns(y) of Eq. 1: utterances of an episode.
 * @throws LaconicError `config_invalid`
 */
export function turns({ count, by }: TurnOptions = { count: "spoken" }): Cost {
  checkChoice("turns.count", count, "spoken", "all");
  return {
    unit: count === "spoken" ? "utterances that are not silent" : "utterances, silent ones included",
    scope: by === undefined ? {} : { by },
    measure: ({ utterances }) =>
      utterances.filter(
        (utterance) => (by === undefined || utterance.agent === by) && (count === "all" || !utterance.silent),
      ).length,
  };
}

/** Length limits of {@link overlong}. */
export interface OverlongOptions extends Pick<CostScope, "by"> {
  /** L: tokens at which an utterance costs 1. */
  readonly maxTokens: number;
  /** c: tokens before L over which the cost rises from 0. */
  readonly margin: number;
}

/**
 * DAPO's soft overlong punishment: per utterance 0 up to L - c tokens, (tokens - (L - c)) / c up to L, then 1; summed.
 * Price 1 is DAPO (L = 20480, c = 4096).
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

/** Options of {@link repetition}. */
export interface RepetitionOptions extends Pick<CostScope, "by"> {
  /** Units of `of`. */
  readonly n: number;
  /** Text between white space, or code points; both ignore case. */
  readonly of: "words" | "characters";
  /** `utterance`: repeats within it. `episode`: also repeats of earlier utterances. */
  readonly against: "utterance" | "episode";
}

/**
 * repetition(y) of Eq. 1, undefined in the paper: share of repeated n-grams, 0 to 1. Equals 1 - distinct / total within
 * an utterance.
 * @throws LaconicError `config_invalid`
 */
export function repetition(options: RepetitionOptions = { n: 3, of: "words", against: "utterance" }): Cost {
  const { n, of, against, by } = options;
  checkCount("repetition.n", n);
  checkChoice("repetition.of", of, "words", "characters");
  checkChoice("repetition.against", against, "utterance", "episode");
  return {
    unit: `share of ${n}-grams of ${of} said before in the ${against}`,
    scope: by === undefined ? {} : { by },
    measure({ utterances }) {
      let total = 0;
      let repeated = 0;
      let message = new Set<string>();
      for (const { agent, text } of utterances) {
        if (against === "utterance") message = new Set();
        const counts = by === undefined || agent === by;
        for (const ngram of ngrams(text, n, of)) {
          if (counts) {
            total += 1;
            if (message.has(ngram)) repeated += 1;
          }
          message.add(ngram);
        }
      }
      return total === 0 ? 0 : repeated / total;
    },
  };
}

/** Words contain no spaces, and joined code points alternate with spaces. */
function ngrams(text: string, n: number, of: RepetitionOptions["of"]): string[] {
  const lower = text.toLowerCase();
  const units = of === "words" ? lower.split(/\s+/u).filter((word) => word !== "") : Array.from(lower);
  return units.slice(n - 1).map((_, start) => units.slice(start, start + n).join(" "));
}
