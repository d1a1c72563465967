import { LaconicError } from "@laconic/core";
import type { FileSystem } from "@laconic/core/files";

/** Writes a file beside the old one, then renames it over: a kill leaves one of the two whole. */
export async function replaceFile(fs: FileSystem, path: string, data: string): Promise<void> {
  await fs.write(`${path}.tmp`, data);
  await fs.rename(`${path}.tmp`, path);
}

/** System errors that the user can mend: full, read-only, over quota, not permitted, a file in the way, a disk that fails. */
const unwritable = new Set(["ENOSPC", "EROFS", "EDQUOT", "EACCES", "EPERM", "ENOTDIR", "EEXIST", "EIO"]);

/** What a file that is there answers to who may not, or cannot, read it. One that is not there says so itself: readers ask for it. */
const unreadable = new Set(["EACCES", "EPERM", "EIO"]);

function explainReadError(error: unknown, path: string): unknown {
  const reason = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  if (!unreadable.has(reason)) return error;
  const message = `${path} cannot be read: ${(error as Error).message}; mend the cause and resume`;
  return new LaconicError("data_invalid", message, { path, reason }, error);
}

/**
 * A system error of writing, or an engine's `run_unwritable`, as one `run_unwritable` that says what to do; anything else as it
 * is.
 */
export function explainWriteError(error: unknown, directory: string): unknown {
  const isOurs = LaconicError.is(error) && error.code === "run_unwritable";
  if (!(error instanceof Error)) return error;
  const reason = !isOurs && "code" in error && typeof error.code === "string" ? error.code : null;
  if (!isOurs && (reason === null || !unwritable.has(reason))) return error;
  const message = isOurs ? error.message : `${directory} cannot be written: ${error.message}`;
  return new LaconicError(
    "run_unwritable",
    `${message}; what was saved before is whole: mend the cause and resume, or start again a run without a checkpoint`,
    { directory, ...(reason !== null && { reason }) },
    error,
  );
}

/** The same file system whose failures say which run or file they belong to and what to do. */
export function explainedFileSystem(fs: FileSystem, directory: string): FileSystem {
  const explained = <T>(done: Promise<T>): Promise<T> =>
    done.catch((error: unknown) => {
      throw explainWriteError(error, directory);
    });
  const readable = <T>(path: string, done: Promise<T>): Promise<T> =>
    done.catch((error: unknown) => {
      throw explainReadError(error, path);
    });
  return {
    makeDirectory: (path) => explained(fs.makeDirectory(path)),
    exists: (path) => readable(path, fs.exists(path)),
    list: (path) => readable(path, fs.list(path)),
    read: (path) => readable(path, fs.read(path)),
    size: (path) => readable(path, fs.size(path)),
    readPart: (path, from, length) => readable(path, fs.readPart(path, from, length)),
    digest: (path) => readable(path, fs.digest(path)),
    write: (path, data) => explained(fs.write(path, data)),
    append: (path, data) => explained(fs.append(path, data)),
    truncate: (path, bytes) => explained(fs.truncate(path, bytes)),
    rename: (from, to) => explained(fs.rename(from, to)),
    syncFile: (path) => explained(fs.syncFile(path)),
    syncDirectory: (path) => explained(fs.syncDirectory(path)),
    remove: (path) => explained(fs.remove(path)),
  };
}
