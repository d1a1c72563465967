import { formatPercent } from "@laconic/core/text";
import type { Measured } from "./evaluate.ts";
import type { Language } from "./language.ts";

/** What a reward counts where it knows who holds what is asked: the share of those that say nothing. */
const knowing = "holder_silent";

/** Shares and factors from which a language is called collapsed; ordinary training of the story worlds stays below all of them. */
const limits = {
  repetition: 0.3,
  vocabulary: 0.4,
  perplexity: 4,
  strange: 20,
  silent: 0.5,
  template: 0.5,
  entropy: 0.5,
} as const;

/**
 * How a team's language has collapsed on the same validation problems, in words: an agent repeats itself, has few words left, or writes
 * what the policy of the beginning would hardly have written; or those who know say nothing. Null where none of it has happened.
 */
export function collapseOf(before: Measured, now: Measured): string | null {
  const reasons = Object.entries(now.language ?? {}).flatMap(([agent, language]) => {
    const first = before.language?.[agent];
    return first ? ofAgent(agent, first, language) : [];
  });
  const [spoke, silent] = [before.measures?.[knowing] ?? 1, now.measures?.[knowing] ?? 0];
  if (silent >= limits.silent && spoke < limits.silent / 2)
    reasons.push(
      `whoever knows what is asked says nothing in ${formatPercent(silent)} of the episodes (${formatPercent(spoke)} before training)`,
    );
  if (reasons.length === 0) return null;
  return `${reasons.join("; ")}: the language collapses, whatever the accuracy says. Raise objective.kl.coefficient, lower the learning rate or the price of words`;
}

function ofAgent(agent: string, first: Language, now: Language): string[] {
  const reasons: string[] = [];
  if (now.repetition >= limits.repetition && now.repetition > 2 * first.repetition)
    reasons.push(
      `${agent} repeats itself (${formatPercent(now.repetition)} of its pairs of words stood in the same text before)`,
    );
  // Shorter texts have a larger share of different words, so a fall is never an effect of brevity.
  if (now.vocabulary > 0 && now.vocabulary < limits.vocabulary * first.vocabulary)
    reasons.push(
      `${agent} has few words left (${formatPercent(now.vocabulary)} of its words are different ones, ${formatPercent(first.vocabulary)} before)`,
    );
  const [share, bits] = [now.commonestTemplate ?? 0, now.templateEntropy ?? 0];
  const [shareBefore, bitsBefore] = [first.commonestTemplate ?? share, first.templateEntropy ?? bits];
  if (share >= limits.template && bits < limits.entropy * bitsBefore)
    reasons.push(
      `${agent} says ${formatPercent(share)} of its texts by one template, names and copied words aside (${formatPercent(shareBefore)} before; ${bits.toFixed(1)} bits of templates, were ${bitsBefore.toFixed(1)})`,
    );
  if (now.perplexity > limits.strange && now.perplexity > limits.perplexity * first.perplexity)
    reasons.push(
      `${agent} writes a code of its own (perplexity ${now.perplexity.toFixed(1)} under the first policy, ${first.perplexity.toFixed(1)} before)`,
    );
  return reasons;
}
