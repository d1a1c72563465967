import type { Prompt } from "@laconic/core";
import { holderPrompt, solverPrompt } from "./prompts.ts";
import { tokensPrompt } from "./token-prompt.ts";

/**
 * What a policy of the relay reads as a holder, for agents of one's own: it tells the facts that are asked for, `k6?k+e`.
 *
 * @param facts - `k6`, or several with spaces between
 * @param question - `k+e`
 * @param seat - which holder, 0 to 3: the policy tells them apart
 * @throws LaconicError `input_invalid` for a character that the relay's vocabulary cannot spell, or a seat that there is not
 */
export function relayHolderPrompt(facts: string, question: string, seat = 0): Prompt {
  return tokensPrompt(holderPrompt(`holder-${"abcd".charAt(seat)}`, facts, question));
}

/**
 * What a policy of the relay reads as the solver: it adds up what the messages say of the asked keys.
 *
 * @param messages - in speaking order, a silent one empty; 3 or 4 is what the shipped policies know
 * @throws LaconicError `input_invalid` for a character that the relay's vocabulary cannot spell
 */
export function relaySolverPrompt(question: string, messages: readonly string[]): Prompt {
  return tokensPrompt(solverPrompt(question, messages));
}
