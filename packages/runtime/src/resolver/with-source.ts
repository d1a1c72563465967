import { isRecord, LaconicError } from "@laconic/core";
import { isReference, referencePlace, type Reference } from "./reference.ts";
import { ownKeyAt, type OwnValue } from "./own-keys.ts";

/** Where a configuration takes values. */
interface Places {
  readonly task: unknown;
  readonly actor: unknown;
  readonly own: readonly OwnValue[];
}

/**
 * An error about a value of the user's own with the key and the file that it is of. Other errors come back as they are.
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
function sourcesOf({ task, actor, own }: Places): Readonly<Record<string, readonly (readonly [string, Reference])[]>> {
  const found: Record<string, (readonly [string, Reference])[]> = {};
  for (const { path, reference } of own)
    (found[ownKeyAt(path)?.kind ?? ""] ??= []).push([`train.${path.join(".")}`, reference]);
  const at = (key: string, value: unknown): (readonly [string, Reference])[] =>
    isReference(value) ? [[key, value]] : [];
  const taskAndTeam = [...at("task", task), ...(isRecord(task) ? at("task.team", task["team"]) : [])];
  return { ...found, reward: found["reward"] ?? taskAndTeam, task: taskAndTeam, actor: at("actor", actor) };
}
