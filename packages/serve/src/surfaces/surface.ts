import type { ExactJsonOptions } from "@laconic/core/json";
import type { ChatUsage, WireReason } from "../forms.ts";
import { type HttpError, invalid } from "../http.ts";
import { z } from "zod";
import { parse } from "../parse.ts";
import type { WireCall } from "../schemas.ts";

export interface ChatHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
  readonly system_fingerprint?: string;
}

export interface ChatAnswer extends ChatHead {
  readonly choices: readonly {
    readonly finish_reason: WireReason;
    readonly message: SaidMessage;
    readonly stop_reason?: string | null;
    readonly laconic?: unknown;
  }[];
  /** Includes a team's ledger. */
  readonly usage: ChatUsage & { readonly laconic?: unknown };
}

export interface SaidMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly WireCall[];
}

export interface EventWriter {
  begin(head: ChatHead): void;
  text(delta: string): void;
  call(call: WireCall): void;
  end(answer: ChatAnswer): void;
}

export interface SurfaceRequest {
  readonly chat: Readonly<Record<string, unknown>>;
  whole(answer: ChatAnswer): unknown;
  writer(send: (event: unknown) => void): EventWriter;
}

export interface Surface {
  /** @throws HttpError 400 with the parameter */
  readonly read: (json: unknown) => SurfaceRequest;
  /** Object keys whose values are read as `JsonText`. */
  readonly keep?: NonNullable<ExactJsonOptions["keep"]>;
  readonly errorOf: (refusal: HttpError) => unknown;
}

type Schemas<T> = Readonly<Record<string, z.ZodType<T>>>;

const typedSchema = z.looseObject({ type: z.string().optional() });

/**
 * Reads a value by its `type`.
 * @throws HttpError 400 with the location, and for an unknown type
 */
export function readTyped<T>(schemas: Schemas<T>, value: unknown, location: string, otherwise?: string): T {
  const type = parse(typedSchema, value, location).type ?? otherwise;
  const schema = type !== undefined && Object.hasOwn(schemas, type) ? schemas[type] : undefined;
  if (schema) return parse(schema, value, location);
  const types = Object.keys(schemas);
  const reason = type === undefined ? "type missing" : `unknown type ${JSON.stringify(type.slice(0, 64))}`;
  throw invalid(`${location}: ${reason}; expected ${types.join(", ")}`, location);
}

/** Stops at the first invalid item. */
export function readList<T>(value: unknown, location: string, read: (item: unknown, place: string) => T): T[] {
  return parse(listSchema, value, location).map((item, i) => read(item, `${location}.${i}`));
}

const listSchema: z.ZodType<readonly unknown[]> = z.array(z.unknown());

/** A text, or joined text parts. @throws HttpError 400 with the location of an invalid part */
export function readText(value: unknown, path: string, parts: Schemas<string>): string {
  if (typeof value === "string") return value;
  return readList(value, path, (part, location) => readTyped(parts, part, location)).join("");
}

export interface ChatTurn {
  readonly role: string;
  readonly content: string;
  readonly name?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly type: "function"; readonly function: object }[];
  readonly tool_call_id?: string;
}
