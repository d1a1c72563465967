import { checkAcceptAt, checkCount } from "../check-option.ts";
import type { Judge, JudgedAnswer } from "./judge.ts";

/** Answer with a label. */
export interface LabelledAnswer extends JudgedAnswer {
  readonly label: boolean;
}

/** Agreement with labels. */
export interface Agreement {
  readonly judged: number;
  /** Excluded from other figures. */
  readonly undecided: number;
  /** Share of correct verdicts; null without judged answers. */
  readonly accuracy: number | null;
  /** Cohen's kappa (1960): 1 agreement, 0 chance; null if chance alone always agrees. */
  readonly kappa: number | null;
  readonly confusion: Readonly<Record<"goodAccepted" | "goodRejected" | "badAccepted" | "badRejected", number>>;
}

/**
 * Measures a judge's agreement with labels.
 * @param options - acceptAt: score to accept, in (0, 1], default 0.5; atOnce: concurrent questions, default 8
 * @throws LaconicError `config_invalid`
 */
export async function agreement(
  judge: Judge,
  labelled: readonly LabelledAnswer[],
  { acceptAt = 0.5, atOnce = 8 }: { readonly acceptAt?: number; readonly atOnce?: number } = {},
): Promise<Agreement> {
  checkAcceptAt(acceptAt);
  const accepted = await inOrder(labelled, atOnce, async (item) => {
    const verdict = await judge.judge(item);
    return verdict.status === "undecided" ? null : verdict.value.score >= acceptAt;
  });
  const count = (label: boolean, verdict: boolean) =>
    labelled.filter((item, i) => item.label === label && accepted[i] === verdict).length;
  const confusion = {
    goodAccepted: count(true, true),
    goodRejected: count(true, false),
    badAccepted: count(false, true),
    badRejected: count(false, false),
  };
  const { goodAccepted, goodRejected, badAccepted, badRejected } = confusion;
  const judged = goodAccepted + goodRejected + badAccepted + badRejected;
  const undecided = labelled.length - judged;
  if (judged === 0) return { judged, undecided, accuracy: null, kappa: null, confusion };
  const accuracy = (goodAccepted + badRejected) / judged;
  const [good, yes] = [(goodAccepted + goodRejected) / judged, (goodAccepted + badAccepted) / judged];
  const chance = good * yes + (1 - good) * (1 - yes);
  return { judged, undecided, accuracy, kappa: chance === 1 ? null : (accuracy - chance) / (1 - chance), confusion };
}

/**
 * Results in order, from at most `atOnce` concurrent tasks.
 * @throws LaconicError `config_invalid` below 1
 */
export async function inOrder<T, R>(items: readonly T[], atOnce: number, run: (item: T) => Promise<R>): Promise<R[]> {
  checkCount("atOnce", atOnce);
  const results: R[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await run(items[i] as T);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, () => worker()));
  return results;
}
