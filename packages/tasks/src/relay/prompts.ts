import { LaconicError, type AgentId } from "@laconic/core";
import { relaySolver } from "./levels.ts";
import { relayMarks, relayTokenizer, spellRelayTokens } from "./tokenizer.ts";

/** What a relay prompt says. */
export interface RelayPrompt {
  readonly agent: AgentId;
  readonly question: string;
  /** A holder's facts; empty for the solver. */
  readonly facts: string;
  /** The holders' messages in speaking order, a silent one empty; none for a holder. */
  readonly messages: readonly string[];
}

const { question: questionMark, next, reply } = relayMarks;
const encode = (text: string): number[] => relayTokenizer.encode(text);
const decode = (tokens: readonly number[]): string => relayTokenizer.decode(tokens);

/** `A:k6?k+e>` */
export function holderPrompt(agent: AgentId, facts: string, question: string): number[] {
  return [roleMark(agent), ...encode(facts), questionMark, ...encode(question), reply];
}

/** `S:k+e?k6||e9>` when the second of three holders is silent. */
export function solverPrompt(question: string, messages: readonly string[]): number[] {
  const received = messages.flatMap((message, index) => (index === 0 ? encode(message) : [next, ...encode(message)]));
  return [roleMark(relaySolver), ...encode(question), questionMark, ...received, reply];
}

/** @throws LaconicError `input_invalid` when the tokens are no relay prompt. */
export function readRelayPrompt(tokens: readonly number[]): RelayPrompt {
  const agent = Object.keys(relayMarks.role).find((id) => relayMarks.role[id] === tokens[0]);
  const split = tokens.indexOf(questionMark);
  if (agent === undefined || split < 0 || tokens.at(-1) !== reply)
    throw new LaconicError(
      "input_invalid",
      `"${spellRelayTokens(tokens)}" is no relay prompt; it reads like A:k6?k+e>`,
    );
  const before = decode(tokens.slice(1, split));
  const after = tokens.slice(split + 1, -1);
  return agent === relaySolver
    ? { agent, question: before, facts: "", messages: splitAt(after, next).map(decode) }
    : { agent, question: decode(after), facts: before, messages: [] };
}

function roleMark(agent: AgentId): number {
  const mark = relayMarks.role[agent];
  if (mark !== undefined) return mark;
  throw new LaconicError("input_invalid", `"${agent}" is no agent of the relay task`, { agent });
}

function splitAt(tokens: readonly number[], mark: number): number[][] {
  const parts: number[][] = [[]];
  for (const token of tokens)
    if (token === mark) parts.push([]);
    else parts.at(-1)?.push(token);
  return parts;
}
