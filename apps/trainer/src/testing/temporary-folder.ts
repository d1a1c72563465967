import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Where Linux keeps files in memory. A run flushes every file, and a disk makes small runs wait longer than they compute. */
const memory = "/dev/shm";

/** A folder of the test's own, which goes when the test ends; `inMemory` for a few megabytes that are flushed often. */
export async function temporaryFolder({ inMemory = false }: { readonly inMemory?: boolean } = {}): Promise<string> {
  const folder = await mkdtemp(join(inMemory && existsSync(memory) ? memory : tmpdir(), "laconic-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
