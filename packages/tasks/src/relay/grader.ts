import type { Grader } from "@laconic/core";

/**
 * The number a reply commits to, or null when it commits to none: exactly one of its words may hold a digit, and that
 * word must be an integer as one writes it. "the answer is 15" and "15" say 15; "15 16", "1 5", "x15" and "015" say
 * nothing.
 */
export function extractRelayAnswer(reply: string): string | null {
  // Digits of every script count, so that a second guess cannot hide.
  const numbers = reply.split(/\s+/u).filter((word) => /\p{N}/u.test(word));
  const [number] = numbers;
  return numbers.length === 1 && number !== undefined && /^(0|[1-9][0-9]*)$/.test(number) ? number : null;
}

/** 1 when the reply commits to the gold sum, otherwise 0. */
export const relayGrader: Grader = (answer, problem) =>
  answer !== null && extractRelayAnswer(answer) === problem.gold ? 1 : 0;
