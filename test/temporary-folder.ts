import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, onTestFinished } from "vitest";

export async function temporaryFolder(): Promise<string> {
  return folderUntil(onTestFinished);
}

/** Folder that is deleted after the tests of the file, or of the `describe` that asks for it. */
export function sharedFolder(): string {
  return folderUntil(afterAll);
}

function folderUntil(end: (remove: () => Promise<void>) => void): string {
  const folder = mkdtempSync(join(tmpdir(), "laconic-"));
  end(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
