import { LaconicError } from "@laconic/core";
import { referencePlace, referencesAt, type Reference } from "./reference.ts";
import { kindAt } from "./referenced.ts";

/** Where a configuration takes values. */
interface Places {
  readonly task: unknown;
  readonly actor: unknown;
  readonly train: unknown;
}

/**
 * An error about a value with the key and the file that it is of. Other errors come back as they are.
 * @param error - whose detail says the kind of the value
 */
export function withSource(error: unknown, config: Places): unknown {
  if (!LaconicError.is(error)) return error;
  const sources = sourcesOf(config)[String(error.detail["value"])] ?? [];
  if (sources.length === 0) return error;
  const places = sources.map(([key, reference]) => `${key} is ${referencePlace(reference)}`);
  const [[, { file }] = ["", { file: "" }]] = sources;
  return new LaconicError(error.code, `${error.message} (${places.join(", ")})`, { ...error.detail, file }, error);
}

/** References of a configuration by the kind of value that errors name. */
function sourcesOf(config: Places): Readonly<Record<string, readonly (readonly [string, Reference])[]>> {
  const found: Record<string, (readonly [string, Reference])[]> = {};
  const { task, actor, train } = config;
  for (const [key, reference] of referencesAt({ task, actor, train }))
    (found[kindAt(key.split(".")) ?? ""] ??= []).push([key, reference]);
  const taskAndTeam = [...(found["task"] ?? []), ...(found["team"] ?? [])];
  return { ...found, reward: found["reward"] ?? taskAndTeam, task: taskAndTeam };
}
