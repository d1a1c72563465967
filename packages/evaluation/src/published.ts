/** Accuracy in per cent of Agent-GSPO's Table 1; gpt-4-1106-preview, no seeds, no intervals. */
const table1: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  vanilla: {
    "mmlu-153": 82.14,
    multiarith: 93.15,
    gsm8k: 85.4,
    svamp: 87.18,
    aqua: 70.34,
    humaneval: 71.68,
    math500: 73.72,
  },
  cot: {
    "mmlu-153": 82.65,
    multiarith: 94.79,
    gsm8k: 87.17,
    svamp: 88.32,
    aqua: 73.91,
    humaneval: 75.52,
    math500: 75.18,
  },
  "complex-cot": {
    "mmlu-153": 83.78,
    multiarith: 95.86,
    gsm8k: 87.62,
    svamp: 90.17,
    aqua: 77.58,
    humaneval: 74.94,
    math500: 76.85,
  },
  sc: {
    "mmlu-153": 82.66,
    multiarith: 96.88,
    gsm8k: 87.93,
    svamp: 88.69,
    aqua: 75.08,
    humaneval: 77.3,
    math500: 77.02,
  },
  php: {
    "mmlu-153": 83.45,
    multiarith: 96.41,
    gsm8k: 92.45,
    svamp: 90.62,
    aqua: 76.25,
    humaneval: 82.96,
    math500: 79.24,
  },
  debate: {
    "mmlu-153": 83.69,
    multiarith: 96.27,
    gsm8k: 90.23,
    svamp: 90.56,
    aqua: 77.52,
    humaneval: 83.79,
    math500: 80.15,
  },
  dylan: {
    "mmlu-153": 80.16,
    multiarith: 94.27,
    gsm8k: 88.16,
    svamp: 87.4,
    aqua: 74.16,
    humaneval: 89.7,
    math500: 81.66,
  },
};

/**
 * Tokens of a whole benchmark, Agent-GSPO's Table 2; prompt only or both is not stated. Nor is the number of questions: the totals fit
 * those of `tokenQuestions`.
 */
const table2: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  vanilla: { "mmlu-153": 1.5e5, gsm8k: 3.5e6 },
  php: { "mmlu-153": 2.6e6, gsm8k: 2.6e7 },
  debate: { "mmlu-153": 1.5e6, gsm8k: 2.2e7 },
  dylan: { "mmlu-153": 1.2e6, gsm8k: 1.4e7 },
  "agent-gspo": { "mmlu-153": 9.2e5, gsm8k: 7.2e6 },
};

/** Questions behind a total: GSM8K's test, and the validation questions of MMLU that this family of papers takes. */
const tokenQuestions: Readonly<Record<string, number>> = { "mmlu-153": 153, gsm8k: 1319 };

/** The papers' own methods, by the name that a run of theirs has here: rows of their own where nobody ran them. */
const ownRows: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "agentprune-r": {
    "mmlu-153": 83.94,
    multiarith: 96.3,
    gsm8k: 95.83,
    svamp: 91.68,
    aqua: 78.6,
    humaneval: 90.3,
    math500: 82.81,
  },
  "agent-gspo": {
    "mmlu-153": 84.1,
    multiarith: 97.2,
    gsm8k: 96.02,
    svamp: 91.9,
    aqua: 79.8,
    humaneval: 90.7,
    math500: 83.1,
  },
};

/** Where Agent-GSPO's figures are from, of which model, and how its totals are divided. */
export const publishedSource =
  "Agent-GSPO, Tables 1 and 2 (gpt-4-1106-preview; MMLU on 153 questions, standard error about 3 points; its token totals divided by 153 questions of MMLU and 1,319 of GSM8K, which they fit)";

/** Published accuracy in per cent; null where there is none. */
export function publishedAccuracy(method: string, benchmark: string): number | null {
  return (table1[method] ?? ownRows[method])?.[benchmark] ?? null;
}

/** Published tokens: the total, and how many questions it is of. */
export interface PublishedTokens {
  readonly total: number;
  readonly questions: number;
}

/** Published tokens of a benchmark; null where there are none. */
export function publishedTokens(method: string, benchmark: string): PublishedTokens | null {
  const [total, questions] = [table2[method]?.[benchmark], tokenQuestions[benchmark]];
  return total === undefined || questions === undefined ? null : { total, questions };
}

/** Rows of the papers' own methods that are not among those that were run. */
export function publishedRows(
  ran: readonly string[],
): readonly { readonly title: string; readonly figures: Readonly<Record<string, number>> }[] {
  return Object.entries(ownRows)
    .filter(([method]) => !ran.includes(method))
    .map(([method, figures]) => ({ title: `${ownTitles[method] ?? method} (published)`, figures }));
}

const ownTitles: Readonly<Record<string, string>> = { "agentprune-r": "AgentPrune-R", "agent-gspo": "Agent-GSPO" };

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
