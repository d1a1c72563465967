import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Folder that is deleted when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
