import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import type { z } from "zod";

/**
 * Reads rows that a bench writes again each time it is opened; none where there is no file.
 * @throws LaconicError `data_invalid` for a damaged file
 */
export async function readRows<T>(directory: string, file: string, schema: z.ZodType<T[]>): Promise<T[]> {
  const path = join(directory, file);
  const text = await readFile(path, "utf8").catch(() => "[]");
  try {
    return schema.parse(boundedJson(text));
  } catch (error) {
    throw new LaconicError(
      "data_invalid",
      `${path} is damaged; laconic bench --resume writes it anew`,
      { path },
      error,
    );
  }
}
