/** What a paper prints of one part that was taken away. */
export interface PublishedAblation {
  /** Points of accuracy against the whole; null where only a direction is printed. */
  readonly accuracyPoints: number | null;
  readonly said: string;
}

/** Of Agent-GSPO's Fig. 2, whose figures its text gives (section 4.3). */
const figure2: Readonly<Record<string, PublishedAblation>> = {
  "no-price": { accuracyPoints: null, said: "tokens nearly triple, accuracy lower" },
  "no-group-normalisation": { accuracyPoints: -2.9, said: "accuracy 2.9 points lower, the largest drop" },
};

/** Where those are from, and why they stand beside others only for their direction. */
export const publishedAblationSource =
  "Agent-GSPO, section 4.3 and Fig. 2: MMLU with gpt-4-1106-preview, no seeds, no intervals; another task and another model than here";

/** What Agent-GSPO prints of a variant: `no-price`, `no-group-normalisation`; null for others. */
export function publishedAblation(variant: string): PublishedAblation | null {
  return Object.hasOwn(figure2, variant) ? (figure2[variant] ?? null) : null;
}
