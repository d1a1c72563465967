import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { z } from "zod";

export interface SavedModel {
  readonly format: 1;
  /** Server path of weights and optimizer state. */
  readonly path: string;
  readonly server: string;
  readonly baseModel: string;
  readonly rank: number;
  readonly seed: number;
  readonly steps: number;
}

const savedModel: z.ZodType<SavedModel> = z.object({
  format: z.literal(1),
  path: z.string().min(1).max(1000),
  server: z.string(),
  baseModel: z.string(),
  rank: z.int().min(1),
  seed: z.int().min(0),
  steps: z.int().min(0),
});

const file = "tinker.json";

export async function writeSavedModel(folder: string, saved: Omit<SavedModel, "format">): Promise<string> {
  await writeFile(join(folder, file), `${JSON.stringify({ format: 1, ...saved }, null, 2)}\n`);
  return file;
}

/** @throws LaconicError `checkpoint_missing`, `checkpoint_corrupt` */
export async function readSavedModel(folder: string): Promise<SavedModel> {
  const path = join(folder, file);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    throw new LaconicError("checkpoint_missing", `${path} cannot be read`, { file: path }, error);
  }
  try {
    return savedModel.parse(boundedJson(text));
  } catch (error) {
    const key = error instanceof z.ZodError ? (error.issues[0]?.path.join(".") ?? "") : "";
    throw new LaconicError(
      "checkpoint_corrupt",
      `${path} is not a reference to a saved model`,
      { file: path, key },
      error,
    );
  }
}
