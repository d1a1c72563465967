import { readFile } from "node:fs/promises";
import { boundedJson, LaconicError } from "@laconic/core";

type Json = Readonly<Record<string, unknown>>;

/**
 * A file that holds one object of JSON.
 * @throws LaconicError `config_invalid` with the file's name for one that cannot be read or holds something else
 */
export async function readObject(file: string): Promise<Json> {
  let value: unknown;
  try {
    value = boundedJson(await readFile(file, "utf8"));
  } catch (error) {
    throw new LaconicError("config_invalid", `${file} cannot be read: ${(error as Error).message}`, { file }, error);
  }
  if (isObject(value)) return value;
  throw new LaconicError("config_invalid", `${file} holds no object of JSON; put the file back`, { file });
}

/** Of an object, by name; nothing of any other value. */
export function entriesOf(value: unknown): (readonly [name: string, value: Json])[] {
  return isObject(value) ? Object.entries(value).map(([name, each]) => [name, isObject(each) ? each : {}]) : [];
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
