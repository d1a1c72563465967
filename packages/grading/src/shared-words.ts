/**
 * What two texts have in common by the rule of SQuAD and HotpotQA (hotpot_evaluate_v1.py): in lower case, without ASCII punctuation
 * and without the articles a, an and the.
 * @returns `same`: whether the words are equal and in one order (EM); `f1`: the harmonic mean of the shares of either side's words that
 * the other has, 0 where one side says yes or no and the other something else
 */
export function sharedWords(answer: string, gold: string): { readonly same: boolean; readonly f1: number } {
  const [own, wanted] = [wordsOf(answer), wordsOf(gold)];
  const same = own.join(" ") === wanted.join(" ");
  const whole = [own.join(" "), wanted.join(" ")].some((words) => ["yes", "no", "noanswer"].includes(words));
  if (whole && !same) return { same, f1: 0 };
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  const common = own.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  }).length;
  return { same, f1: common === 0 ? 0 : (2 * common) / (own.length + wanted.length) };
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll(/[!-/:-@[-`{-~]/gu, "")
    .replaceAll(/(?<![\p{L}\p{N}_])(?:a|an|the)(?![\p{L}\p{N}_])/gu, " ")
    .split(/\s+/u)
    .filter((word) => word !== "");
}
