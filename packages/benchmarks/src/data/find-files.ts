import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { type Benchmark, splitOf } from "./benchmark.ts";

/** A data file in memory. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  /** What an earlier load noted, for files whose bytes the registry does not know. */
  readonly expected?: string;
  /** Its user put it there, and its bytes are not known. */
  readonly placed?: true;
}

/**
 * A split's file at a path: the file itself, or a folder that holds one under a known name.
 * @throws LaconicError `data_invalid` when there is none, naming what was looked for
 */
export async function findFiles(benchmark: Benchmark, splitName: string, path: string): Promise<FoundFile[]> {
  const split = splitOf(benchmark, splitName);
  const kind = await stat(path).catch(() => null);
  if (kind?.isFile()) return [await found(path)];
  const { files = [], placed } = split;
  for (const file of [...files, ...(placed ? [placed] : [])]) {
    const candidate = join(path, file.path);
    if (!(await stat(candidate).catch(() => null))?.isFile()) continue;
    if (file !== placed) return [await found(candidate)];
    const known = placed.sha256 === undefined ? { placed: true as const } : { expected: placed.sha256 };
    return [{ ...(await found(candidate)), ...known }];
  }
  const wanted = [...files, ...(placed ? [placed] : [])].map((file) => file.path).join(", ");
  const where = kind ? `${path} holds none of ${wanted || "its files"}` : `there is no ${path}`;
  const reason = placed ? `${where}; ${placed.how}` : where;
  throw new LaconicError("data_invalid", `${benchmark.title}, split ${splitName}: ${reason}`, {
    benchmark: benchmark.name,
    split: splitName,
    path,
  });
}

export async function found(path: string): Promise<FoundFile> {
  const bytes = await readFile(path);
  return { path, bytes, sha256: sha256Hex(bytes) };
}

export function sha256Hex(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
