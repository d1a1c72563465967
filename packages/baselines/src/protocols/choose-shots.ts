import type { ChatMessage } from "@laconic/core";
import type { BaselineOptions, Exemplar } from "./baseline.ts";
import type { Protocol, Shots } from "./protocol.ts";

/** Steps of a worked solution or of a reply: lines that are not empty (Fu et al. 2023). */
export function stepsOf(text: string): number {
  return text.split("\n").filter((line) => line.trim() !== "").length;
}

/**
 * The worked examples of a protocol, out of a training split in seeded order; of as many steps, the earlier. Choosing from chosen
 * examples changes nothing. Worked examples need a solution.
 * @param count - instead of the protocol's
 * @param topic - the question's, for those of the same topic
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

/** The examples that a method shows, out of its pool. */
export function shotsOf(
  { shots }: Protocol,
  { exemplars = [], shots: count }: Pick<BaselineOptions, "exemplars" | "shots">,
): Exemplar[] {
  return chooseShots(shots, exemplars, count);
}

/** Examples as earlier turns of a chat; each reply ends with the answer line that the system message demands. */
export function shotMessages(form: Shots["form"], exemplars: readonly Exemplar[]): ChatMessage[] {
  return exemplars.flatMap((exemplar): ChatMessage[] => [
    { role: "user", content: exemplar.question },
    { role: "assistant", content: form === "answers" ? exemplar.answerLine : workedReply(exemplar) },
  ]);
}

/** A worked solution and the answer line, once. */
export function workedReply({ solution, answerLine }: Exemplar): string {
  const worked = solution.trim();
  if (worked === "") return answerLine;
  return worked.endsWith(answerLine) ? worked : `${worked}\n${answerLine}`;
}
