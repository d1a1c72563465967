import { randomUUID } from "node:crypto";
import { copyFile, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { makeFolders, moveFile, writing } from "@laconic/core/platform";
import { dirname, join, relative } from "node:path";
import { checkFileName } from "./file-names.ts";

/**
 * Layout of Python's `huggingface_hub` cache for one repository: `blobs/<content>`, `snapshots/<commit>/<name>` linked
 * to them, `refs/<revision>`.
 */
export interface RepositoryCache {
  readonly blobs: string;
  snapshot(commit: string): string;
  /** Last known commit of a branch or tag. */
  readRef(revision: string): Promise<string | null>;
  writeRef(revision: string, commit: string): Promise<void>;
  link(blob: string, commit: string, name: string): Promise<void>;
}

export const commitPattern: RegExp = /^[0-9a-f]{40}$/;

/** @throws LaconicError `run_unwritable` from the writing methods */
export function repositoryCache(cacheFolder: string, type: "model" | "dataset", repo: string): RepositoryCache {
  const root = join(cacheFolder, `${type}s--${repo.replaceAll("/", "--")}`);
  const refPath = (revision: string): string => join(root, "refs", checkFileName(revision));
  const snapshot = (commit: string): string => join(root, "snapshots", commit);
  return {
    blobs: join(root, "blobs"),
    snapshot,
    async readRef(revision) {
      const text = await readFile(refPath(revision), "utf8").catch(() => "");
      return commitPattern.test(text.trim()) ? text.trim() : null;
    },
    async writeRef(revision, commit) {
      const path = refPath(revision);
      await replace(path, (temporary) => writeFile(temporary, commit));
    },
    async link(blob, commit, name) {
      const path = join(snapshot(commit), checkFileName(name));
      await replace(path, async (temporary) => {
        try {
          await symlink(relative(dirname(path), blob), temporary);
        } catch {
          // Windows restricts links.
          await copyFile(blob, temporary);
        }
      });
    },
  };
}

/** Temporary name before a rename. */
const temporaryName = /\.[0-9a-f]{8}\.tmp$/;

/** Size of a file, through links; null if missing. */
export async function fileSize(path: string): Promise<number | null> {
  return stat(path).then(
    (stats) => (stats.isFile() ? stats.size : null),
    () => null,
  );
}

/** Names of all files below a folder, with `/` as separator; broken links are omitted. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  const names = entries.map((name) => name.replaceAll("\\", "/")).toSorted();
  const sizes = await Promise.all(names.map((name) => fileSize(join(folder, name))));
  return names.filter((name, i) => sizes[i] !== null && !temporaryName.test(name));
}

async function replace(path: string, write: (temporary: string) => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomUUID().slice(0, 8)}.tmp`;
  await writing(path, async () => {
    await makeFolders(dirname(path));
    try {
      await write(temporary);
      await moveFile(temporary, path);
    } finally {
      await rm(temporary, { force: true });
    }
  });
}
