import { nearestName } from "@laconic/core";
import { z } from "zod";

type Issue = z.core.$ZodIssue;

/** What of a request does not fit, for the client that sent it. */
export interface RefusedField {
  /** Names of the field, the outermost first. */
  readonly path: readonly PropertyKey[];
  /** What is accepted there, and what was given. */
  readonly reason: string;
}

/**
 * The first thing that does not fit, where it lies: of a choice, in the alternative that the value comes closest to.
 * @param given - the value that the schema refused
 */
export function describeIssue(issue: Issue, given: unknown, schema: z.ZodType): RefusedField {
  const { path } = issue;
  if (issue.code === "unrecognized_keys") {
    const name = issue.keys[0] as string;
    return { path: [...path, name], reason: `not supported${knownNames(name, path, schema)}` };
  }
  const value = valueAt(given, path);
  if (issue.code === "invalid_key") return { path: path.slice(0, -1), reason: reasonOf(issue, path.at(-1)) };
  const deeper = issue.code === "invalid_union" && isOurs(issue) ? closest(issue.errors) : undefined;
  if (!deeper) return { path, reason: reasonOf(issue, value) };
  const inner = describeIssue(deeper, value, schema);
  return { path: [...path, ...inner.path], reason: inner.reason };
}

/** The first issue of the alternative whose kind the value has; of several, the one that lies deepest. */
function closest(alternatives: readonly (readonly Issue[])[]): Issue | undefined {
  const firsts = alternatives.flatMap(([first]) => (first ? [first] : []));
  const near = firsts.filter(({ code, path }) => path.length > 0 || code !== "invalid_type");
  return near.toSorted((a, b) => b.path.length - a.path.length)[0];
}

function reasonOf(issue: Issue, value: unknown): string {
  return `expected ${acceptedBy(issue)}, got ${shown(value)}`;
}

/** In words of zod, not of a schema's own. */
const isOurs = ({ message }: Issue): boolean => message.startsWith("Invalid input");

const kinds: Readonly<Record<string, string>> = {
  number: "a number",
  int: "a whole number",
  string: "a text",
  boolean: "true or false",
  null: "null",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
};

function acceptedBy(issue: Issue): string {
  const { code, message } = issue;
  if (code === "invalid_key" && issue.issues[0]) return `as a key ${acceptedBy(issue.issues[0])}`;
  if (!/^Invalid (?:input|option)/u.test(message)) return message.replace(/^(?:Too (?:small|big): )?expected /u, ""); // or a schema's own words
  if (code === "invalid_type") return kinds[issue.expected] ?? issue.expected;
  if (code === "invalid_union")
    return [...new Set(issue.errors.flatMap(([first]) => (first ? [acceptedBy(first)] : [])))].join(" or ");
  if (code === "invalid_value") return issue.values.map((each) => JSON.stringify(each)).join(" or ");
  return message;
}

/** The name that was meant, or all there are. */
function knownNames(name: string, path: readonly PropertyKey[], schema: z.ZodType): string {
  if (path.length > 0 || !(schema instanceof z.ZodObject)) return "";
  const known = Object.keys(schema.shape);
  const near = nearestName(name, known);
  return near === undefined ? `; known here: ${known.join(", ")}` : `; did you mean ${near}?`;
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key)
        ? (value as Readonly<Record<PropertyKey, unknown>>)[key]
        : undefined,
    given,
  );
}

/** A plain value as JSON, short; of a list or object the kind alone, which may be nested without end. */
function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
