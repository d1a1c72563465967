import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { openProblems, type OpenedProblems, type ProblemOptions } from "../src/own/open-data.ts";

export const refusals: {
  readonly refused: readonly (readonly [name: string, content: string, options: ProblemOptions, reason: string])[];
  readonly settings: readonly (readonly [settings: object, reason: string])[];
} = JSON.parse(readFileSync(new URL("own-data.json", import.meta.url), "utf8"));

export async function saved(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(await temporaryFolder(), name);
  await writeFile(path, content);
  return path;
}

export async function read(
  name: string,
  content: string | Uint8Array,
  options: ProblemOptions,
): Promise<OpenedProblems> {
  return openProblems(await saved(name, content), options);
}

export const brief = ({ problems }: OpenedProblems): unknown[] =>
  problems.map(({ id, question, gold }) => [id, question, gold]);
export const numeric: ProblemOptions = { grading: "numeric" };
export const two: readonly (readonly [id: string, question: string, gold: string])[] = [
  ["row/1", "1 + 1?", "2"],
  ["row/2", "2 + 2?\nor so", "4"],
];
