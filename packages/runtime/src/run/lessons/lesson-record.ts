import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError, parseJson } from "@laconic/core";
import { issueWords } from "@laconic/core/schemas";
import { z } from "zod";
import type { LessonSettings } from "../run-settings.ts";
import { lessonSettings } from "./lesson-settings.ts";

/** What a model folder says of the lessons that its model has had. */
export interface LessonRecord {
  readonly version: 1;
  /** With the model as it was before them. */
  readonly lessons: LessonSettings & { readonly model: string };
  /** Of the last step, nats per token. */
  readonly loss: number;
}

/** Beside the weights that were taught. */
const lessonFile = "lessons.json";

const recordSchema: z.ZodType<LessonRecord> = z.strictObject({
  version: z.literal(1),
  lessons: lessonSettings.refine(
    (lessons): lessons is LessonRecord["lessons"] => lessons.model !== undefined,
    "says no model",
  ) as z.ZodType<LessonRecord["lessons"]>,
  loss: z.number(),
});

/**
 * The lessons of a model folder; null for a model that has had none.
 * @throws LaconicError `data_invalid` for a file that is no record of lessons
 */
export async function lessonsIn(folder: string): Promise<LessonRecord | null> {
  const path = join(folder, lessonFile);
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  const parsed = recordSchema.safeParse(parseJson(text, path), { error: issueWords });
  if (parsed.success) return parsed.data;
  throw new LaconicError("data_invalid", `${path} is no record of lessons; remove it, or give the lessons again`, {
    path,
  });
}

export async function writeLessons(folder: string, record: LessonRecord): Promise<void> {
  await writeFile(join(folder, lessonFile), `${JSON.stringify(record, null, 2)}\n`);
}
