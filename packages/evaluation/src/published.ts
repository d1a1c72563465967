const benchmarks = ["mmlu-153", "multiarith", "gsm8k", "svamp", "aqua", "humaneval", "math500"] as const;

/** Accuracies in the order of `benchmarks`, which is the table's. */
function row(...figures: readonly number[]): Readonly<Record<string, number>> {
  return Object.fromEntries(benchmarks.map((name, i) => [name, figures[i] as number]));
}

/** Accuracy in per cent of Agent-GSPO's Table 1; gpt-4-1106-preview, no seeds, no intervals. */
const table1: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  vanilla: row(82.14, 93.15, 85.4, 87.18, 70.34, 71.68, 73.72),
  cot: row(82.65, 94.79, 87.17, 88.32, 73.91, 75.52, 75.18),
  "complex-cot": row(83.78, 95.86, 87.62, 90.17, 77.58, 74.94, 76.85),
  sc: row(82.66, 96.88, 87.93, 88.69, 75.08, 77.3, 77.02),
  php: row(83.45, 96.41, 92.45, 90.62, 76.25, 82.96, 79.24),
  debate: row(83.69, 96.27, 90.23, 90.56, 77.52, 83.79, 80.15),
  dylan: row(80.16, 94.27, 88.16, 87.4, 74.16, 89.7, 81.66),
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

/** Accuracies of Table 2: those of Table 1 with one decimal, as printed. */
const table2Accuracy: typeof table2 = {
  vanilla: { "mmlu-153": 82.1, gsm8k: 85.4 },
  php: { "mmlu-153": 83.4, gsm8k: 92.5 },
  debate: { "mmlu-153": 83.7, gsm8k: 90.2 },
  dylan: { "mmlu-153": 80.2, gsm8k: 88.2 },
  "agent-gspo": { "mmlu-153": 84.1, gsm8k: 96 },
};

/** Questions behind a total: GSM8K's test, and the validation questions of MMLU that this family of papers takes. */
const tokenQuestions: Readonly<Record<string, number>> = { "mmlu-153": 153, gsm8k: 1319 };

/** A row that AgentPrune's Table 1 alone has: SC (ComplexCoT), of the same model. */
const agentPruneRows: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "sc-complex-cot": {
    "mmlu-153": 83.65,
    multiarith: 96.94,
    gsm8k: 86.14,
    svamp: 89.72,
    aqua: 77.69,
    humaneval: 77.94,
  },
};

/** A published figure of Agent-GSPO's tables, by the row's name. */
export interface PublishedCell {
  readonly table: "1" | "2";
  readonly row: string;
  readonly benchmark: string;
  readonly figure: number;
  readonly unit: "%" | "tokens";
  /** Points above Vanilla, as Table 1 prints them in parentheses; null where none are. */
  readonly gain: number | null;
}

/** Every cell of Agent-GSPO's Tables 1 and 2. */
export function publishedCells(): readonly PublishedCell[] {
  const of = (
    table: "1" | "2",
    unit: PublishedCell["unit"],
    rows: Readonly<Record<string, Readonly<Record<string, number>>>>,
  ): PublishedCell[] =>
    Object.entries(rows).flatMap(([name, figures]) =>
      Object.entries(figures).map(([benchmark, figure]) => ({
        table,
        row: name,
        benchmark,
        figure,
        unit,
        gain: table === "2" || name === "vanilla" ? null : figure - (table1["vanilla"]?.[benchmark] ?? figure),
      })),
    );
  return [...of("1", "%", { ...table1, ...ownRows }), ...of("2", "%", table2Accuracy), ...of("2", "tokens", table2)];
}

/** The papers' own methods, by the name that a run of theirs has here: rows of their own where nobody ran them. */
const ownRows: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  "agentprune-r": row(83.94, 96.3, 95.83, 91.68, 78.6, 90.3, 82.81),
  "agent-gspo": row(84.1, 97.2, 96.02, 91.9, 79.8, 90.7, 83.1),
};

/** Where Agent-GSPO's figures are from, of which model, and how its totals are divided. */
export const publishedSource =
  "Agent-GSPO, Tables 1 and 2 (gpt-4-1106-preview; MMLU on 153 questions, standard error about 3 points; its token totals divided by 153 questions of MMLU and 1,319 of GSM8K, which they fit)";

/** Published accuracy in per cent; null where there is none. */
export function publishedAccuracy(method: string, benchmark: string): number | null {
  return (table1[method] ?? ownRows[method] ?? agentPruneRows[method])?.[benchmark] ?? null;
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
