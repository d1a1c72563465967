import type * as z from "zod";
import { isRecord } from "../shapes/is-record.ts";
import { nameHint, nearestName } from "../shapes/nearest-name.ts";
import { shownValue } from "../shapes/shown-value.ts";

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "a group of settings",
  record: "a group of values",
  null: "null",
  nan: "NaN",
  function: "a function",
};

/** Messages of zod issues with the nearest known name, for `schema.safeParse`; custom messages are kept. */
export const issueWords: z.core.$ZodErrorMap = (issue) => {
  const input = shownValue(issue.input);
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return `it is missing; it must be ${acceptedBy(issue)}`;
      return `it must be ${acceptedBy(issue)}, not ${input}`;
    case "too_small":
    case "too_big":
      return `it must ${boundOf(issue)}${issue.origin === "number" || issue.origin === "int" ? `, not ${input}` : ""}`;
    case "not_multiple_of":
      return `it must be a multiple of ${issue.divisor}, not ${input}`;
    case "invalid_format":
      return `it must be ${formatOf(issue)}, not ${input}`;
    case "invalid_value":
      return `it must be ${oneOf(issue.values)}, not ${input}${nearTo(issue.input, issue.values)}`;
    case "unrecognized_keys":
      return strayKeys(issue.keys, keysOf(issue.inst));
    case "invalid_union":
      if (issue.discriminator !== undefined && Array.isArray(issue.options) && issue.options.length > 0)
        return `its ${issue.discriminator} must be ${oneOf(issue.options)}${nearTo(isRecord(issue.input) ? issue.input[issue.discriminator] : undefined, issue.options)}`;
      return unionWords(issue.errors ?? []) ?? `it is not accepted here: ${input}`;
    case "invalid_key":
    case "invalid_element":
      return issue.issues?.[0]?.message ?? `an entry does not fit: ${input}`;
    case "custom":
      return issue.message ?? `it is not accepted here: ${input}`;
    default:
      return `it is not accepted here: ${input}`;
  }
};

function acceptedBy({ expected, inst }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidType>): string {
  const kind = kinds[expected] ?? `a value of type ${expected}`;
  const keys = expected === "object" ? keysOf(inst) : [];
  return keys.length === 0 ? kind : `${kind} (${keys.join(", ")})`;
}

function boundOf(issue: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig>): string {
  const isSmall = issue.code === "too_small";
  const limit = isSmall ? issue.minimum : issue.maximum;
  const { origin, inclusive = true, exact = false } = issue;
  if (origin === "string" || origin === "array" || origin === "set") {
    const what = origin === "string" ? "character" : "entr";
    const plural = Number(limit) === 1 ? (what === "entr" ? "entry" : what) : what === "entr" ? "entries" : `${what}s`;
    const amount = exact ? "exactly" : isSmall ? "at least" : "at most";
    return `have ${amount} ${limit} ${plural}`;
  }
  const kind = origin === "int" ? "a whole number" : "a number";
  if (isSmall) return `be ${kind} ${inclusive ? "from" : "above"} ${limit}${inclusive ? " on" : ""}`;
  return `be ${kind} ${inclusive ? "up to" : "below"} ${limit}`;
}

function formatOf(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidStringFormat>): string {
  const { format, pattern } = issue;
  if (format === "regex") return `a text that matches ${pattern}`;
  for (const [name, words] of [
    ["prefix", "begins with"],
    ["suffix", "ends with"],
    ["includes", "contains"],
  ] as const)
    if (typeof issue[name] === "string") return `a text that ${words} ${JSON.stringify(issue[name])}`;
  return `a text of the form ${format}`;
}

function oneOf(values: readonly unknown[]): string {
  const names = values.map((value) => (typeof value === "string" ? value : String(value)));
  return names.length === 1 ? names[0]! : `one of ${names.join(", ")}`;
}

function nearTo(input: unknown, values: readonly unknown[]): string {
  const names = values.filter((value) => typeof value === "string");
  const near = typeof input === "string" && names.length > 1 ? nearestName(input, names) : undefined;
  return near === undefined ? "" : `; did you mean ${near}?`;
}

function strayKeys(keys: readonly string[], knownNames: readonly string[]): string {
  return keys
    .map((key) => `unknown setting ${key}${knownNames.length === 0 ? "" : `; ${nameHint(key, knownNames)}`}`)
    .join("; ");
}

/** The likeliest alternative is the one with the deepest match. */
function unionWords(alternatives: readonly (readonly z.core.$ZodIssue[])[]): string | null {
  const firsts = alternatives.flatMap((issues) => issues[0] ?? []);
  if (firsts.length === 0) return null;
  const depth = Math.max(...firsts.map(({ path }) => path.length));
  const meant = firsts.filter(({ path }) => path.length === depth);
  const replies = meant.map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`));
  return [...new Set(replies)].join("; or ");
}

interface SchemaDef {
  readonly shape?: object;
  readonly options?: readonly unknown[];
  readonly innerType?: unknown;
}

function keysOf(schema: unknown): string[] {
  const { shape, options, innerType } = (schema as { readonly def?: SchemaDef } | undefined)?.def ?? {};
  const within = [...(options ?? []), ...(innerType === undefined ? [] : [innerType])];
  return [...new Set([...Object.keys(shape ?? {}), ...within.flatMap(keysOf)])];
}
