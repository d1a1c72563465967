import { randomUUID } from "node:crypto";
import { copyFile, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { makeFolders, moveFile, writing } from "@laconic/core/platform";
import { dirname, join, relative } from "node:path";
import { checkFileName } from "./file-names.ts";

export const commitPattern: RegExp = /^[0-9a-f]{40}$/;

/**
 * Layout of Python's `huggingface_hub` cache for one repository: `blobs/<content>`, `snapshots/<commit>/<name>` linked
 * to them, `refs/<revision>`. Writing throws LaconicError `run_unwritable`.
 */
export class RepositoryCache {
  readonly #root: string;

  constructor(cacheFolder: string, type: "model" | "dataset", repo: string) {
    this.#root = join(cacheFolder, `${type}s--${repo.replaceAll("/", "--")}`);
  }

  get blobs(): string {
    return join(this.#root, "blobs");
  }

  snapshot(commit: string): string {
    return join(this.#root, "snapshots", commit);
  }

  async readRef(revision: string): Promise<string | null> {
    const text = await readFile(this.#refPath(revision), "utf8").catch(() => "");
    return commitPattern.test(text.trim()) ? text.trim() : null;
  }

  async writeRef(revision: string, commit: string): Promise<void> {
    await replace(this.#refPath(revision), (temporary) => writeFile(temporary, commit));
  }

  async link(blob: string, commit: string, name: string): Promise<void> {
    const path = join(this.snapshot(commit), checkFileName(name));
    await replace(path, (temporary) =>
      // Windows restricts links.
      symlink(relative(dirname(path), blob), temporary).catch(() => copyFile(blob, temporary)),
    );
  }

  #refPath(revision: string): string {
    return join(this.#root, "refs", checkFileName(revision));
  }
}

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
