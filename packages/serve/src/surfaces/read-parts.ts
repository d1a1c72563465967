import { z } from "zod";
import { invalid } from "../http.ts";
import { parse } from "../parse.ts";

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
