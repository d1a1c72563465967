import { isRecord, LaconicError } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { referenced } from "../resolver/referenced.ts";

type Json = Record<string, unknown>;

/** Names that would reach an object's prototype instead of its data. */
const forbidden = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Applies `a.b.c=value` words to a copy of a configuration. A value is JSON where it parses, else text; the name of a file
 * that makes a value, `task=./task.ts`, is relative to the working directory.
 * @throws LaconicError `config_invalid` for a word without `=`, a path through a value, or a forbidden name.
 */
export function applyOverrides(config: Readonly<Json>, words: readonly string[]): Json {
  const result = structuredClone(config) as Json;
  for (const word of words) {
    const split = word.indexOf("=");
    if (split <= 0) throw new LaconicError("config_invalid", `"${word}" is not key=value`, { argument: word });
    const path = word.slice(0, split).split(".");
    const last = path.pop() as string;
    let at = result;
    for (const name of [...path, last])
      if (name === "" || forbidden.has(name))
        throw new LaconicError("config_invalid", `"${word.slice(0, split)}" is not a setting`, {
          key: word.slice(0, split),
        });
    for (const name of path) {
      const next = (at[name] ??= {});
      if (!isRecord(next))
        throw new LaconicError(
          "config_invalid",
          `${word.slice(0, split)}: ${name} is a value, not a group of settings`,
          { key: name },
        );
      at = next;
    }
    const value = parseValue(word.slice(split + 1), word.slice(0, split));
    const group = at[last];
    // A bare number moves the target of a budget that is there.
    if (typeof value === "number" && isRecord(group) && "targetTokens" in group)
      at[last] = { ...group, targetTokens: value };
    else at[last] = referenced(value, { directory: process.cwd() }, [...path, last]);
  }
  return result;
}

function parseValue(text: string, key: string): unknown {
  try {
    JSON.parse(text); // whether it is JSON at all: parseJson refuses what is too deep
  } catch {
    return text;
  }
  return parseJson(text, key);
}
