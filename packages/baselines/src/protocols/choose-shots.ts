import type { ChatMessage } from "@laconic/core";
import type { BaselineOptions, Exemplar } from "./baseline.ts";
import type { Protocol, Shots } from "./protocol.ts";

/** Non-empty lines (Fu et al. 2023). */
export function stepsOf(text: string): number {
  return text.split("\n").filter((line) => line.trim() !== "").length;
}

/**
 * Selects worked examples from a training split in seeded order; ties keep the earlier. Applying it twice changes
 * nothing.
 * @param count - default: the protocol's
 */
export function chooseShots(
  shots: Shots,
  pool: readonly Exemplar[],
  count: number = shots.count,
  topic?: string,
): Exemplar[] {
  const worked = shots.form === "answers" ? pool : pool.filter(({ solution }) => solution.trim() !== "");
  const usable = topic === undefined ? worked : worked.filter((exemplar) => exemplar.topic === topic);
  const byOrder =
    shots.select === "most-steps" ? usable.toSorted((a, b) => stepsOf(b.solution) - stepsOf(a.solution)) : usable;
  return byOrder.slice(0, count);
}

export function shotsOf(
  { shots }: Protocol,
  { exemplars = [], shots: count }: Pick<BaselineOptions, "exemplars" | "shots">,
): Exemplar[] {
  return chooseShots(shots, exemplars, count);
}

/** Examples as chat turns; replies end with the answer line. */
export function shotMessages(form: Shots["form"], exemplars: readonly Exemplar[]): ChatMessage[] {
  return exemplars.flatMap((exemplar): ChatMessage[] => [
    { role: "user", content: exemplar.question },
    { role: "assistant", content: form === "answers" ? exemplar.answerLine : workedReply(exemplar) },
  ]);
}

export function workedReply({ solution, answerLine }: Exemplar): string {
  const worked = solution.trim();
  if (worked === "") return answerLine;
  return worked.endsWith(answerLine) ? worked : `${worked}\n${answerLine}`;
}
