import { type AgentId, inputError, type Prompt } from "@laconic/core";
import type { AgentView } from "@laconic/topologies";
import { relaySolver } from "./problem.ts";
import { relayMarks, relayTokenizer, spellRelayTokens } from "./tokenizer.ts";

export interface RelayPrompt {
  readonly agent: AgentId;
  readonly question: string;
  /** Empty for the solver. */
  readonly facts: string;
  /** Empty if silent. */
  readonly messages: readonly string[];
}

const { question: questionMark, next, reply } = relayMarks;
const { encode, decode } = relayTokenizer;

/** `A:k6?k+e>` */
export function holderPrompt(agent: AgentId, facts: string, question: string): number[] {
  return [roleMark(agent), ...encode(facts), questionMark, ...encode(question), reply];
}

/** `S:k+e?k6||e9>` if the second of three holders is silent. */
export function solverPrompt(question: string, messages: readonly string[]): number[] {
  const received = messages.flatMap((message, index) => (index === 0 ? encode(message) : [next, ...encode(message)]));
  return [roleMark(relaySolver), ...encode(question), questionMark, ...received, reply];
}

/** @throws LaconicError `input_invalid` */
export function readRelayPrompt(tokens: readonly number[]): RelayPrompt {
  const agent = Object.keys(relayMarks.role).find((id) => relayMarks.role[id] === tokens[0]);
  const split = tokens.indexOf(questionMark);
  if (agent === undefined || split < 0 || tokens.at(-1) !== reply)
    throw inputError(`"${spellRelayTokens(tokens)}" is not a relay prompt such as A:k6?k+e>`);
  const before = decode(tokens.slice(1, split));
  const after = tokens.slice(split + 1, -1);
  if (agent !== relaySolver) return { agent, question: decode(after), facts: before, messages: [] };
  const messages: number[][] = [[]];
  for (const token of after) {
    if (token === next) messages.push([]);
    else messages.at(-1)?.push(token);
  }
  return { agent, question: before, facts: "", messages: messages.map(decode) };
}

function roleMark(agent: AgentId): number {
  const mark = relayMarks.role[agent];
  if (mark !== undefined) return mark;
  throw inputError(`"${agent}" is not an agent of the relay task`, { agent });
}

export function tokensPrompt(tokens: readonly number[]): Prompt {
  return { kind: "tokens", tokens };
}

/** Spells a token prompt for transcripts. */
export function renderTokens(prompt: Prompt): string {
  return prompt.kind === "tokens" ? spellRelayTokens(prompt.tokens) : "";
}

/**
 * Holder prompt `A:k6?k+e>` for custom agents.
 * @param slot - holder, 0 to 3
 * @throws LaconicError `input_invalid` for an unknown character or slot
 */
export function relayHolderPrompt(view: Pick<AgentView, "question" | "privateView">, slot = 0): Prompt {
  return tokensPrompt(holderPrompt(`holder-${"abcd".charAt(slot)}`, view.privateView ?? "", view.question));
}

/**
 * Solver prompt `S:k+e?k is 6|e9>` for custom agents.
 * @throws LaconicError `input_invalid` for an unknown character
 */
export function relaySolverPrompt(view: Pick<AgentView, "question" | "inbox" | "privateView">): Prompt {
  const messages = view.inbox.map(({ text }) => text);
  return tokensPrompt(
    solverPrompt(view.question, view.privateView === undefined ? messages : [...messages, view.privateView]),
  );
}
