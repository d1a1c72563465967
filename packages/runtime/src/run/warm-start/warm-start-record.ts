import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { LaconicError } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { issueWords } from "@laconic/core/schemas";
import { z } from "zod";
import type { WarmStartSettings } from "../run-settings.ts";
import { warmStartSettings } from "./warm-start-settings.ts";

/** What a model folder says of the warm start that its model has had. */
export interface WarmStartRecord {
  readonly version: 2;
  /** With the model as it was before. */
  readonly warmStart: WarmStartSettings & { readonly model: string };
  /** Of the last step, nats per token. */
  readonly loss: number;
  /** SHA-256 of what examples of one's own were made of: whichever way they are named, these were learned. */
  readonly examples?: string;
}

/** As a record keeps a warm start: where the examples lie is the run's to say. */
export function recorded<T extends WarmStartSettings>(warmStart: T): T {
  if (warmStart.name !== "examples") return warmStart;
  return { ...warmStart, examples: { ...warmStart.examples, file: basename(warmStart.examples.file) } };
}

/** Beside the weights that were trained. */
const recordFile = "warm-start.json";

const settingsSchema = warmStartSettings.refine(
  (settings): settings is WarmStartRecord["warmStart"] => settings.model !== undefined && settings.seed !== undefined,
  "says no model or no seed",
) as z.ZodType<WarmStartRecord["warmStart"]>;

const recordSchema: z.ZodType<WarmStartRecord> = z.strictObject({
  version: z.literal(2),
  warmStart: settingsSchema,
  loss: z.number(),
  examples: z.string().exactOptional(),
});

/**
 * The warm start of a model folder; null for a model that has had none.
 * @throws LaconicError `data_invalid` for a file that is no record of a warm start
 */
export async function warmStartIn(folder: string): Promise<WarmStartRecord | null> {
  const path = join(folder, recordFile);
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  const parsed = recordSchema.safeParse(parseJson(text, path), { error: issueWords });
  if (parsed.success) return parsed.data;
  throw new LaconicError("data_invalid", `${path} is no record of a warm start; remove it, or train the model again`, {
    path,
  });
}

/** Beside the weights. */
export async function writeWarmStart(folder: string, record: WarmStartRecord): Promise<void> {
  await writeFile(join(folder, recordFile), `${JSON.stringify(record, null, 2)}\n`);
}
