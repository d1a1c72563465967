import type { Problem } from "@laconic/core";
import type { BenchmarkProblem } from "./benchmark.ts";
import { questionText } from "./question-text.ts";

/** Pool example that reveals a test question. */
export interface Overlap {
  readonly pool: string;
  readonly test: string;
  /** Equal text, or 13 shared consecutive tokens. */
  readonly kind: "equal" | "shared-words";
}

type Asked = Pick<BenchmarkProblem, "id" | "question" | "choices">;

/** Problems that are also in training. */
export interface SeenInTraining {
  readonly seen: number;
  readonly of: number;
  readonly first: string;
}

/** Overlap length that is no coincidence (Brown et al. 2020, appendix C). */
const window = 13;

/**
 * Finds pool examples that equal a test question, or share 13 consecutive tokens with exactly one. Ignores case, punctuation
 * and white space.
 */
export function contamination(pool: readonly Asked[], test: readonly Asked[]): Overlap[] {
  const whole = new Map<string, string[]>();
  const windows = new Map<string, string[]>();
  const note = (index: Map<string, string[]>, key: string, id: string): void => {
    const ids = index.get(key);
    if (!ids) index.set(key, [id]);
    else if (ids.at(-1) !== id) ids.push(id);
  };
  for (const problem of test) {
    const { id } = problem;
    const words = wordsOf(questionText(problem));
    note(whole, words.join(" "), id);
    for (const text of windowsOf(words)) note(windows, text, id);
  }
  return pool.flatMap((problem) => {
    const { id } = problem;
    const words = wordsOf(questionText(problem));
    const equal = new Set(whole.get(words.join(" ")));
    const sharing = new Set(
      windowsOf(words).flatMap((text) => {
        const ids = windows.get(text) ?? [];
        return ids.length === 1 ? ids : [];
      }),
    );
    return [
      ...Array.from(equal, (other): Overlap => ({ pool: id, test: other, kind: "equal" })),
      ...[...sharing]
        .filter((other) => !equal.has(other))
        .map((other): Overlap => ({ pool: id, test: other, kind: "shared-words" })),
    ];
  });
}

/** Counts overlaps with a pool; null if zero. */
export function seenInTraining(pool: readonly Problem[], problems: readonly Problem[]): SeenInTraining | null {
  const seen = new Set(contamination(pool.map(wholeText), problems.map(wholeText)).map(({ test }) => test));
  const first = problems.find(({ id }) => seen.has(id));
  return first === undefined ? null : { seen: seen.size, of: problems.length, first: first.id };
}

/** Includes the private views. */
function wholeText({ id, question, views = {}, ...rest }: Problem & Pick<Asked, "choices">): Asked {
  const text = [question, ...Object.values(views)].join("\n");
  return { id, question: text, ...(rest.choices && { choices: rest.choices }) };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+|[\p{Sm}*/^%-]/gu) ?? [];
}

function windowsOf(words: readonly string[]): string[] {
  return Array.from({ length: Math.max(0, words.length - window + 1) }, (_, i) => words.slice(i, i + window).join(" "));
}
