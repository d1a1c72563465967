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

/** A rollout with its reward: what waits to be trained. Plain data, as the journal has it. */
export interface FinishedRollout {
  readonly id: string;
  readonly group: string;
  readonly episode: Episode;
  readonly reward: EpisodeReward;
  /** Steps done when its first and its last reply were sampled. */
  readonly steps: readonly [first: number, last: number];
  /** Prompts by how they stand to earlier turns. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** How a validation rollout did. */
export interface Validated {
  /** Steps done when its last reply was sampled. */
  readonly step: number;
  /** As accuracy counts it: the reward's score, else its grade, else the sum of its terms. */
  readonly score: number;
}

/** An open rollout with its reward. */
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

/** What validation keeps of a rollout. */
export function validated({ reward: { team, score }, steps }: FinishedRollout): Validated {
  const sum = Object.values(team).reduce((total, term) => total + term, 0);
  return { step: steps[1], score: score ?? team["task"] ?? sum };
}

/**
 * A rollout as an episode: each reply an utterance, in the order in which they were made. Who reads whom is the harness's own
 * affair: deliveries and reads are empty, so that costs count what is written, and never what is read.
 * @param answer - as the harness gives it; the last reply when undefined
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
