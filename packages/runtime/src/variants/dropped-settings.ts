import { isRecord } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";

/**
 * What overrides leave out of a configuration, in words: a value that is a group takes the place of the whole group, so that
 * `train.objective={"name":"grpo"}` has no KL term, whatever the configuration has.
 */
export function droppedSettings(base: Readonly<Record<string, unknown>>, overrides: readonly string[]): string[] {
  return overrides.flatMap((word) => {
    const at = word.indexOf("=");
    const key = word.slice(0, at);
    // What is no JSON is plain text, which the configuration checks.
    const dropped = missingIn(valueAt(base, key.split(".")), tryParseJson(word.slice(at + 1)));
    if (dropped.length === 0) return [];
    return [
      `${key} takes the place of the whole group, without ${dropped.join(", ")} of the configuration; ${key}.KEY=VALUE changes one setting of it`,
    ];
  });
}

/** Keys of a group, at any depth, that the other has not. */
function missingIn(before: unknown, now: unknown): string[] {
  if (!isRecord(before) || !isRecord(now)) return [];
  return Object.entries(before).flatMap(([key, value]) =>
    Object.hasOwn(now, key) ? missingIn(value, now[key]).map((inner) => `${key}.${inner}`) : [key],
  );
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined), value);
}
