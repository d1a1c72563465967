import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { laconic } from "../apps/trainer/test/laconic.ts";

export async function done(...words: readonly string[]): Promise<string> {
  const { code, out, err } = await laconic(...words);
  if (code !== 0) throw new Error(`laconic ${words.join(" ")} ends with ${code}: ${err}`);
  return out;
}

export async function rowsOf(run: string): Promise<Record<string, number>[]> {
  const text = await readFile(join(run, "metrics.jsonl"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, number>);
}
