import { readFile, writeFile } from "node:fs/promises";
import { moveFile } from "@laconic/core/platform";
import { join } from "node:path";
import { boundedJson } from "@laconic/core/json";
import type { CalibrationRecord } from "../calibrate.ts";
import { tokenCountFields } from "../episode-costs.ts";
import { z } from "zod";

const schema: z.ZodType<CalibrationRecord[]> = z.array(
  z.object({
    benchmark: z.string(),
    method: z.string(),
    setting: z.enum(["whole", "dealt"]).default("whole"),
    config: z.string(),
    learned: z.unknown(),
    questions: z.int().min(0),
    calls: z.int().min(0),
    ...tokenCountFields,
    usd: z.number().min(0).nullable().default(null),
  }),
);

const file = "calibration.json";

/** What methods of a bench learned; none for a damaged file: it is learned again. */
export async function readCalibrations(directory: string): Promise<CalibrationRecord[]> {
  try {
    return schema.parse(boundedJson(await readFile(join(directory, file), "utf8")));
  } catch {
    return [];
  }
}

/** Adds what a method learned; the file appears whole. */
export async function addCalibration(directory: string, record: CalibrationRecord): Promise<void> {
  const others = (await readCalibrations(directory)).filter(({ config }) => config !== record.config);
  const part = join(directory, `${file}.part`);
  await writeFile(part, `${JSON.stringify([...others, record], null, 2)}\n`);
  await moveFile(part, join(directory, file));
}
