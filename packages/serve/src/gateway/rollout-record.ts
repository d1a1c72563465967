import {
  type AgentId,
  type ChatMessage,
  type Completion,
  type TokenTrace,
  type Episode,
  type EpisodeReward,
  type Utterance,
} from "@laconic/core";
import { callTokens } from "@laconic/core/ledger";
import type { CalledTool } from "../forms.ts";
import { createHash } from "node:crypto";

/**
 * Relation of a prompt to the agent's earlier replies.
 * - `first`: it extends no reply.
 * - `extended`: it starts with the prompt and reply of one call, token by token. Both train as one sequence.
 * - `branched`: another prompt already extends that call, so the sequences are separate.
 * - `rerendered`: it contains a reply in other tokens than were sampled. A new sequence starts, and the earlier reply
 * is trained in its sampled tokens.
 */
export type CallKind = "first" | "extended" | "branched" | "rerendered";

export interface RecordedCall {
  readonly agent: AgentId;
  readonly kind: CallKind;
  /** Call that the prompt extends or renders again; null for none. */
  readonly parent: number | null;
  /** First position that differs from the sampled tokens. */
  readonly differsAt?: number;
  /** Assistant messages that are not replies of this rollout: examples, edits, summaries. */
  readonly foreign: number;
  readonly prompt: string;
  readonly completion: Completion;
  readonly tools: readonly CalledTool[];
  /** Finished steps when it was sampled. */
  readonly step: number;
  /** Identifies the chat with the reply; null for other prompts. */
  readonly replyKey: string | null;
  readonly idempotencyKey?: string | null;
}

export interface CallPrompt {
  readonly agent: AgentId;
  /** Null unless it is a chat. */
  readonly messages: readonly ChatMessage[] | null;
  /** Null without token ids, as for an API. */
  readonly tokens: readonly number[] | null;
  readonly text: string;
}

/** Relates a prompt to earlier calls. Pure. */
export function standingOf(
  calls: readonly RecordedCall[],
  { agent, messages, tokens }: CallPrompt,
): Pick<RecordedCall, "kind" | "parent" | "foreign" | "differsAt"> {
  const keys = messages ? historyKeys(messages) : [];
  const earlier = calls.flatMap((call, index) => (call.agent === agent ? [{ ...call, index }] : []));
  const replies = new Map(
    earlier.flatMap(({ replyKey, index }) => (replyKey === null ? [] : [[replyKey, index] as const])),
  );
  const sources = (messages ?? []).flatMap(({ role }, i) => (role === "assistant" ? [replies.get(keys[i]!)] : []));
  const foreign = sources.filter((source) => source === undefined).length;
  const reported = sources.findLast((source) => source !== undefined);
  const length = (index: number): number => tokensOf(calls[index])?.length ?? 0;
  const parent =
    tokens === null
      ? (reported ?? null)
      : earlier.reduce<number | null>((best, { index, completion }) => {
          if (!completion.trace || !begins(tokensOf(calls[index]) ?? [], tokens)) return best;
          return best === null || length(index) > length(best) ? index : best;
        }, null);
  if (tokens !== null && reported !== undefined && calls[reported]?.completion.trace) {
    const written = tokensOf(calls[reported]) ?? [];
    const differsAt = written.findIndex((token, i) => token !== tokens[i]);
    if (differsAt >= 0) return { kind: "rerendered", parent: reported, foreign, differsAt };
  }
  if (parent === null) return { kind: "first", parent, foreign };
  return { kind: earlier.some((call) => call.parent === parent) ? "branched" : "extended", parent, foreign };
}

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

function tokensOf(call: RecordedCall | undefined): number[] | null {
  const trace: TokenTrace | undefined = call?.completion.trace;
  return trace ? [...trace.promptTokens, ...trace.tokens] : null;
}

function begins(beginning: readonly number[], tokens: readonly number[]): boolean {
  return beginning.length <= tokens.length && beginning.every((token, i) => token === tokens[i]);
}

/** Key of each prefix of a chat: equal if and only if all messages are equal. */
function historyKeys(messages: readonly ChatMessage[]): string[] {
  let key = "";
  return messages.map(({ role, content }) => {
    key = createHash("sha256")
      .update(JSON.stringify([key, role, content]))
      .digest("base64url");
    return key;
  });
}

/** Finished rollout, as plain data in the journal. */
export interface FinishedRollout {
  readonly id: string;
  readonly group: string;
  readonly episode: Episode;
  readonly reward: EpisodeReward;
  /** Finished steps at its first and last reply. */
  readonly steps: readonly [first: number, last: number];
  readonly kinds: Readonly<Record<string, number>>;
}

export interface Validated {
  /** Finished steps at its last reply. */
  readonly step: number;
  /** Score, else grade, else the sum of terms. */
  readonly score: number;
}

export function finished(
  { id, calls }: { readonly id: string; readonly calls: readonly RecordedCall[] },
  group: string,
  reward: EpisodeReward,
  answer: string | null | undefined,
): FinishedRollout {
  const steps = calls.map(({ step }) => step);
  const kinds: Record<string, number> = {};
  for (const { kind } of calls) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return {
    id,
    group,
    reward,
    kinds,
    episode: episodeOf(calls, { problemId: group, answer }),
    steps: [Math.min(...steps), Math.max(...steps)],
  };
}

export function validated({ reward: { team, score }, steps }: FinishedRollout): Validated {
  const sum = Object.values(team).reduce((total, term) => total + term, 0);
  return { step: steps[1], score: score ?? team["task"] ?? sum };
}

/**
 * Converts a rollout to an episode with one utterance per reply. The client decides who reads whom, so deliveries and
 * reads are empty and costs count written tokens only.
 * @param answer - undefined for the last reply
 */
export function episodeOf(
  calls: readonly RecordedCall[],
  { problemId, answer }: { readonly problemId: string; readonly answer: string | null | undefined },
): Episode {
  const rounds = new Map<string, number>();
  const utterances = calls.map(({ agent, prompt, completion }, turn): Utterance => {
    const round = rounds.get(agent) ?? 0;
    rounds.set(agent, round + 1);
    const { text, finishReason, model, usage, trace } = completion;
    return {
      agent,
      turn,
      round,
      prompt,
      text,
      finishReason,
      model,
      silent: text === "",
      writtenTokens: usage.completionTokens,
      deliveredTo: [],
      ...(trace && { trace }),
    };
  });
  const finalAnswer = answer === undefined ? (utterances.at(-1)?.text ?? null) : answer;
  const notes = calls.some(({ kind }) => kind === "rerendered") ? ["rerendered"] : [];
  return {
    problemId,
    topology: "gateway",
    utterances,
    answer: finalAnswer,
    ...(notes.length > 0 && { notes }),
    stopReason: finalAnswer === null ? "no_answer" : "answered",
    ledger: {
      calls: calls.map(({ agent, completion }, turn) => ({
        turn,
        round: utterances[turn]?.round ?? 0,
        agent,
        ...callTokens(completion.usage),
        reads: [],
      })),
    },
  };
}
