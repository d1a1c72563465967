import type { AgentId, ChatMessage, Completion, TokenTrace } from "@laconic/core";
import type { CalledTool } from "../forms.ts";
import { createHash } from "node:crypto";
import { joinSequences, type JoinedSequences } from "./joined-sequences.ts";

/**
 * How a prompt stands to the earlier replies of its agent in the rollout.
 * - `first`: it goes on from none.
 * - `extended`: it begins with the prompt and reply of one, token by token: both train as one sequence.
 * - `branched`: so does another prompt already; the two are sequences of their own.
 * - `rerendered`: it says what a reply said in other tokens than were sampled. The sequence begins anew: what is trained was
 *   sampled after exactly this prompt, and the earlier reply is trained in its own tokens, never in these.
 */
export type CallKind = "first" | "extended" | "branched" | "rerendered";

/** One request of a rollout and what was answered. */
export interface RecordedCall {
  readonly agent: AgentId;
  readonly kind: CallKind;
  /** The call that it goes on from, or whose reply was rendered anew; null for none. */
  readonly parent: number | null;
  /** Where tokens of a rerendered prompt first differ from those that were read and sampled. */
  readonly differsAt?: number;
  /** Assistant messages of its history that no reply of the agent in this rollout is: examples, edits, summaries. */
  readonly foreign: number;
  /** For transcripts. */
  readonly prompt: string;
  readonly completion: Completion;
  /** Calls of tools in the reply. */
  readonly tools: readonly CalledTool[];
  /** Steps done when it was sampled. */
  readonly step: number;
  /** Of the chat with the reply; null for a prompt that is no chat. */
  readonly replyKey: string | null;
  /** By which the client may ask for the same reply again. */
  readonly idempotencyKey?: string | null;
}

/** What is asked, before the answer. */
export interface CallPrompt {
  readonly agent: AgentId;
  /** Null for a prompt that is no chat. */
  readonly messages: readonly ChatMessage[] | null;
  /** Null where the agent's model reads no tokens: an API. */
  readonly tokens: readonly number[] | null;
  /** For transcripts. */
  readonly text: string;
}

/** How a prompt stands to what was said before. */
export type Standing = Pick<RecordedCall, "kind" | "parent" | "foreign" | "differsAt">;

/** Pure: the same calls and prompt stand the same. */
export function standingOf(calls: readonly RecordedCall[], { agent, messages, tokens }: CallPrompt): Standing {
  const keys = messages ? historyKeys(messages) : [];
  const own = calls.flatMap((call, index) => (call.agent === agent ? [{ ...call, index }] : []));
  const replies = new Map(
    own.flatMap(({ replyKey, index }) => (replyKey === null ? [] : [[replyKey, index] as const])),
  );
  const sources = (messages ?? []).flatMap(({ role }, i) =>
    role === "assistant" ? [replies.get(keys[i] as string)] : [],
  );
  const foreign = sources.filter((each) => each === undefined).length;
  const reported = sources.findLast((each) => each !== undefined);
  const length = (index: number): number => tokensOf(calls[index])?.length ?? 0;
  const parent =
    tokens === null
      ? (reported ?? null)
      : own.reduce<number | null>((best, { index, completion }) => {
          if (!completion.trace || !begins(tokensOf(calls[index]) ?? [], tokens)) return best;
          return best === null || length(index) > length(best) ? index : best;
        }, null);
  if (tokens !== null && reported !== undefined && calls[reported]?.completion.trace) {
    const written = tokensOf(calls[reported]) ?? [];
    if (!begins(written, tokens))
      return { kind: "rerendered", parent: reported, foreign, differsAt: firstDifference(written, tokens) };
  }
  if (parent === null) return { kind: "first", parent, foreign };
  return { kind: own.some((call) => call.parent === parent) ? "branched" : "extended", parent, foreign };
}

/** A rollout's calls with one more. Pure. */
export function recordCall(
  calls: readonly RecordedCall[],
  prompt: CallPrompt,
  answer: Pick<RecordedCall, "completion" | "tools" | "step" | "idempotencyKey">,
): RecordedCall[] {
  const { agent, messages, text } = prompt;
  const reply: ChatMessage = { role: "assistant", content: answer.completion.text };
  const replyKey = messages ? (historyKeys([...messages, reply]).at(-1) ?? null) : null;
  const call: RecordedCall = { agent, ...standingOf(calls, prompt), prompt: text, ...answer, replyKey };
  return [...calls, call];
}

/**
 * What an agent's replies train: sequences with the spans that were sampled, in the order of its calls. Every other token
 * is read and not trained.
 */
export function sequencesOf(calls: readonly RecordedCall[], agent: AgentId): JoinedSequences {
  return joinSequences(
    calls.flatMap(({ agent: speaker, completion: { trace } }) =>
      speaker === agent && trace ? [{ promptTokens: trace.promptTokens, completionTokens: trace.tokens }] : [],
    ),
  );
}

/** Tokens that a rollout's prompts and replies have, those that came again counted again. */
export function recordedTokens(calls: readonly RecordedCall[]): number {
  return calls.reduce((sum, { completion: { usage } }) => sum + usage.promptTokens + usage.completionTokens, 0);
}

function tokensOf(call: RecordedCall | undefined): number[] | null {
  const trace: TokenTrace | undefined = call?.completion.trace;
  return trace ? [...trace.promptTokens, ...trace.tokens] : null;
}

function begins(beginning: readonly number[], tokens: readonly number[]): boolean {
  return beginning.length <= tokens.length && beginning.every((token, i) => token === tokens[i]);
}

function firstDifference(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((token, i) => token !== right[i]);
  return at < 0 ? left.length : at;
}

/**
 * A key for each beginning of a chat, as long as the chat: equal exactly where all messages up to there are. What a chat
 * goes on from is found by it without keeping the chat.
 */
function historyKeys(messages: readonly ChatMessage[]): string[] {
  let key = "";
  return messages.map(({ role, content }) => {
    key = createHash("sha256")
      .update(JSON.stringify([key, role, content]))
      .digest("base64url");
    return key;
  });
}
