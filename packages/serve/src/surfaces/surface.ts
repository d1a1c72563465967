import type { ExactJsonOptions } from "@laconic/core/json";
import type { ChatUsage, WireReason } from "../forms.ts";
import { type HttpError, invalid } from "../http.ts";
import { z } from "zod";
import { parse } from "../parse.ts";

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

type Schemas<T> = Readonly<Record<string, z.ZodType<T>>>;

const typedSchema = z.looseObject({ type: z.string().optional() });

/**
 * Reads a value by the schema that its `type` names.
 * @param otherwise - the type of a value that says none
 * @throws HttpError 400 naming the place, and a type that is not taken
 */
export function readTyped<T>(schemas: Schemas<T>, value: unknown, place: string, otherwise?: string): T {
  const type = parse(typedSchema, value, place).type ?? otherwise;
  const schema = type !== undefined && Object.hasOwn(schemas, type) ? schemas[type] : undefined;
  if (schema) return parse(schema, value, place);
  const known = Object.keys(schemas);
  const said = type === undefined ? "it has no type" : `${JSON.stringify(type.slice(0, 64))} is not taken`;
  throw invalid(`${place}: ${said}; ${known.join(", ")} ${known.length === 1 ? "is" : "are"}`, place);
}

/** Reads the members one after the other: the first that does not fit ends it. */
export function readList<T>(value: unknown, place: string, read: (each: unknown, place: string) => T): T[] {
  return parse(listSchema, value, place).map((each, i) => read(each, `${place}.${i}`));
}

const listSchema: z.ZodType<readonly unknown[]> = z.array(z.unknown());

/** A text, or the texts of parts joined. @throws HttpError 400 naming the place of a part that is no text */
export function readText(value: unknown, place: string, parts: Schemas<string>): string {
  if (typeof value === "string") return value;
  return readList(value, place, (part, at) => readTyped(parts, part, at)).join("");
}

/** A message of the chat that a surface's request becomes. */
export interface ChatTurn {
  readonly role: string;
  readonly content: string;
  /** Whose private view it is, for a team. */
  readonly name?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly type: "function"; readonly function: object }[];
  readonly tool_call_id?: string;
}
