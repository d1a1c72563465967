import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { issueWords } from "@laconic/core/schemas";
import type { z } from "zod";

/** @throws LaconicError `config_invalid` naming each setting at fault, and where it stands */
export function checkSettings<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const parsed = schema.safeParse(value, { error: issueWords });
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "settings"}: ${message}`);
  throw new LaconicError("config_invalid", `${place}: ${issues.join("; ")}`, { place });
}

/**
 * The settings that a bench's directory keeps, parsed.
 * @throws LaconicError `run_missing` without the file, `config_invalid` for text that is not JSON
 */
export async function readSettings(directory: string, file: string): Promise<unknown> {
  const path = join(directory, file);
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new LaconicError("run_missing", `${directory} holds no bench: there is no ${file}`, { directory }, error);
  });
  return parseJson(text, path);
}
