import type { ChatMessage } from "@laconic/core";
import type { BaselineOptions, Exemplar } from "./baseline.ts";
import type { Protocol, Shots } from "./protocol.ts";

/** Steps of a worked solution or of a reply, as Fu et al. 2023 count them: a step is a line that says something. */
export function stepsOf(text: string): number {
  return text.split("\n").filter((line) => line.trim() !== "").length;
}

/** The examples whose solutions have most steps. Of as many, the earlier one. */
function mostComplex(pool: readonly Exemplar[], count = 8): Exemplar[] {
  return pool
    .map((exemplar) => ({ exemplar, steps: stepsOf(exemplar.solution) }))
    .toSorted((a, b) => b.steps - a.steps)
    .slice(0, count)
    .map(({ exemplar }) => exemplar);
}

/**
 * The worked examples of a protocol, out of a training split in seeded order. Chosen ones stay what they are when they are chosen from
 * again. Fewer where the pool has fewer: of worked ones, those with a solution.
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
  return shots.select === "most-steps" ? mostComplex(usable, count) : usable.slice(0, count);
}

/** The examples that a method shows: of the pool that it is given, as its protocol chooses. */
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
