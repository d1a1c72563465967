import { checkOption } from "./check-option.ts";
import type { Cost, CostScope } from "./cost.ts";

/** What counts as said before. */
export interface RepetitionOptions extends Pick<CostScope, "by"> {
  /** Length of an n-gram, in `of`. */
  readonly n: number;
  /** `words` are separated by white space; `characters` are Unicode code points. Case is ignored in both. */
  readonly of: "words" | "characters";
  /** `utterance`: said before in the same utterance. `episode`: or in any earlier utterance, whoever wrote it. */
  readonly against: "utterance" | "episode";
}

/**
 * repetition(y) of Eq. 1, which the paper leaves undefined: the share, 0 to 1, of n-grams that were said before,
 * pooled over the utterances in scope. An episode too short for one n-gram repeats nothing.
 *
 * Within an utterance this is 1 - distinct / total.
 * @throws LaconicError `config_invalid`.
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

/** Joining is unambiguous: a word holds no space, and every second of the code points is one. */
function ngrams(text: string, n: number, of: RepetitionOptions["of"]): string[] {
  const lower = text.toLowerCase();
  const units = of === "words" ? lower.split(/\s+/u).filter((word) => word !== "") : Array.from(lower);
  return units.slice(n - 1).map((_, start) => units.slice(start, start + n).join(" "));
}

function checkOptions({ n, of, against }: RepetitionOptions): void {
  checkOption("repetition.n", n, Number.isInteger(n) && n >= 1, "a whole number from 1");
  checkOption("repetition.of", of, of === "words" || of === "characters", `"words" or "characters"`);
  const scopes = `"utterance" or "episode"`;
  checkOption("repetition.against", against, against === "utterance" || against === "episode", scopes);
}
