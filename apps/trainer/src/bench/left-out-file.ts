import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { z } from "zod";

/** Questions of a bench that a method's team could not deal among its agents. */
export interface LeftOut {
  readonly benchmark: string;
  readonly method: string;
  readonly questions: number;
  /** Questions of the bench, those left out included. */
  readonly of: number;
}

const schema: z.ZodType<LeftOut[]> = z.array(
  z.object({ benchmark: z.string(), method: z.string(), questions: z.int().min(1), of: z.int().min(1) }),
);

const file = "left-out.json";

/** Counted anew each time that a bench is opened; nothing is written where nothing is left out. */
export async function writeLeftOut(directory: string, leftOut: readonly LeftOut[]): Promise<void> {
  if (leftOut.length > 0) await writeFile(join(directory, file), `${JSON.stringify(leftOut, null, 2)}\n`);
}

/** @throws LaconicError `data_invalid` for a damaged file: opening the bench again writes it anew */
export async function readLeftOut(directory: string): Promise<LeftOut[]> {
  const path = join(directory, file);
  const text = await readFile(path, "utf8").catch(() => "[]");
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new LaconicError(
      "data_invalid",
      `${path} is damaged; laconic bench --resume writes it anew`,
      { path },
      error,
    );
  }
}

/** "team: 12 of 1,319 questions of gsm8k" */
export function sayLeftOut(leftOut: readonly LeftOut[]): string {
  const count = (value: number): string => value.toLocaleString("en-US");
  const each = leftOut.map(
    ({ method, questions, of, benchmark }) =>
      `${method}: ${count(questions)} of ${count(of)} questions of ${benchmark}`,
  );
  return `Left out, because they state less than two facts that could be dealt among the team: ${each.join("; ")}.`;
}
