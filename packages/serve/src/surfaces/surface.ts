import type { ExactJsonOptions } from "@laconic/core/json";
import type { ChatUsage } from "../chat-usage.ts";
import type { HttpError } from "../http.ts";
import type { WireReason } from "../wire-reason.ts";

/** A chat completion, as far as surfaces tell of it. */
export interface ChatAnswer extends ChatHead {
  readonly choices: readonly (Said & {
    readonly message: SaidMessage;
    /** The stop text that ended it, where one did and the request has some. */
    readonly stop_reason?: string | null;
    /** What a team's agents said to each other. */
    readonly laconic?: unknown;
  })[];
  readonly usage: ChatUsage & {
    /** A team's ledger. */
    readonly laconic?: unknown;
  };
}

/** What stands before an answer and every chunk. */
export interface ChatHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint?: string;
}

/** A chunk of a chat completion's stream. */
export interface ChatChunk extends ChatHead {
  readonly choices: readonly { readonly delta: Partial<SaidMessage> }[];
}

/** What a reply says, and the tools that it calls. */
export interface SaidMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly SaidCall[];
}

export interface SaidCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

interface Said {
  readonly finish_reason: WireReason;
}

/** Tells a reply in events as it is written. */
export interface EventWriter {
  chunk(chunk: ChatChunk): void;
  /** @param answer - the whole of what the chunks said */
  end(answer: ChatAnswer): void;
}

/** A request of a surface: the chat completion that it asks for, and its answer in the surface's words. */
export interface SurfaceRequest {
  /** The body of a chat completion: the one form that models, teams and rollouts answer. */
  readonly chat: Readonly<Record<string, unknown>>;
  whole(answer: ChatAnswer): unknown;
  writer(send: (event: unknown) => void): EventWriter;
}

/** Another interface to the same chats. */
export interface Surface {
  /** @throws HttpError 400 naming the parameter */
  readonly read: (json: unknown) => SurfaceRequest;
  /** Keys of an object of a request whose values are read as `JsonText`. */
  readonly keep?: NonNullable<ExactJsonOptions["keep"]>;
  readonly errorOf: (refusal: HttpError) => unknown;
}
