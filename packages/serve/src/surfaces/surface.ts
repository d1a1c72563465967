import type { ExactJsonOptions } from "@laconic/core/json";
import type { ChatUsage, WireReason } from "../forms.ts";
import type { HttpError } from "../http.ts";

/** Fields of an answer and of every chunk. */
export interface ChatHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint?: string;
}

/** A chat completion, as far as surfaces repeat it. */
export interface ChatAnswer extends ChatHead {
  readonly choices: readonly {
    readonly finish_reason: WireReason;
    readonly message: SaidMessage;
    /** The stop text that ended it, where one did and the request has some. */
    readonly stop_reason?: string | null;
    /** Messages of a team's agents. */
    readonly laconic?: unknown;
  }[];
  /** With a team's ledger. */
  readonly usage: ChatUsage & { readonly laconic?: unknown };
}

/** A chunk of a chat completion's stream. */
export interface ChatChunk extends ChatHead {
  readonly choices: readonly { readonly delta: Partial<SaidMessage> }[];
}

/** The text of a reply, and its calls of tools. */
export interface SaidMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly SaidCall[];
}

export interface SaidCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Writes the events of a reply. */
export interface EventWriter {
  begin(head: ChatHead): void;
  text(delta: string): void;
  call(call: SaidCall): void;
  end(answer: ChatAnswer): void;
}

/** A request of a surface: the chat completion that it asks for, and how its answer is written. */
export interface SurfaceRequest {
  /** The body of a chat completion, which models, teams and rollouts answer. */
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
