import { issueWords } from "@laconic/core/schemas";
import { z } from "zod";
import { invalid } from "./http.ts";

/** @throws HttpError 400 with the parameter */
export function parse<T>(schema: z.ZodType<T>, json: unknown, location = ""): T {
  const parsed = schema.safeParse(json, { error: issueWords });
  if (parsed.success) return parsed.data;
  const { path, message, key } = innermost(parsed.error.issues[0]!);
  const name = [...(location === "" ? [] : [location]), ...path].join(".");
  const parameter = [...(name === "" ? [] : [name]), ...(key === undefined ? [] : [key])].join(".");
  throw invalid(`${name === "" ? "the body" : name}: ${message}`, parameter === "" ? null : parameter);
}

/** For a union, the issue of the alternative that matches deepest. */
function innermost(
  issue: z.core.$ZodIssue,
): Pick<z.core.$ZodIssue, "path" | "message"> & { readonly key?: string | undefined } {
  if (issue.code === "unrecognized_keys") return { path: issue.path, message: issue.message, key: issue.keys[0] };
  const { path, message } = issue;
  if (issue.code === "invalid_key") return { path: path.slice(0, -1), message };
  if (issue.code !== "invalid_union") return { path, message };
  const firsts = issue.errors.flatMap(([first]) => (first ? [innermost(first)] : []));
  const depth = Math.max(...firsts.map((refused) => refused.path.length));
  const [meant, ...others] = firsts.filter((refused) => refused.path.length === depth);
  // Alternatives that fail in different places do not show which one was meant.
  if (!meant || depth === 0 || others.some((other) => other.path.join(".") !== meant.path.join(".")))
    return { path, message };
  return { ...meant, path: [...path, ...meant.path] };
}

const namingModel: z.ZodType<{ readonly model: string }> = z.looseObject({ model: z.string() });
const objectSchema: z.ZodType<Readonly<Record<string, unknown>>> = z.record(z.string(), z.unknown());

/** Model name of a request. @throws HttpError 400 if missing */
export function modelIn(json: unknown): string {
  return parse(namingModel, json).model;
}

/** Clients send nulls for unset parameters. @throws HttpError 400 for other values than objects */
export function withoutNulls(json: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parse(objectSchema, json)).filter(([, value]) => value !== null));
}
