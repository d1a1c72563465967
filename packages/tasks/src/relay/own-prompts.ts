import type { Prompt } from "@laconic/core";
import type { AgentView } from "@laconic/topologies";
import { holderPrompt, solverPrompt } from "./prompts.ts";
import { tokensPrompt } from "./token-prompt.ts";

/**
 * What a policy of the relay reads as a holder, for agents of one's own: `A:k6?k+e>`. It tells those of its facts (`k6 m3`, its
 * private view) that the question asks for.
 *
 * @param slot - which holder, 0 to 3: the policy tells them apart
 * @throws LaconicError `input_invalid` for a character that the relay's vocabulary cannot spell, or a seat that there is not
 */
export function relayHolderPrompt(view: Pick<AgentView, "question" | "privateView">, slot = 0): Prompt {
  return tokensPrompt(holderPrompt(`holder-${"abcd".charAt(slot)}`, view.privateView ?? "", view.question));
}

/**
 * What a policy of the relay reads as the solver: `S:k+e?k is 6|e9>`. It adds up what the messages in its inbox say of the asked
 * keys, and its private view after them where it has one.
 *
 * @throws LaconicError `input_invalid` for a character that the relay's vocabulary cannot spell
 */
export function relaySolverPrompt({
  question,
  inbox,
  privateView,
}: Pick<AgentView, "question" | "inbox" | "privateView">): Prompt {
  const messages = inbox.map(({ text }) => text);
  return tokensPrompt(solverPrompt(question, privateView === undefined ? messages : [...messages, privateView]));
}
