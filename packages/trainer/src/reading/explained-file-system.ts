import { LaconicError, dataError } from "@laconic/core";
import type { FileSystem } from "@laconic/core/files";

/** System errors that the user can fix. */
const unwritable = new Set(["ENOSPC", "EROFS", "EDQUOT", "EACCES", "EPERM", "ENOTDIR", "EEXIST", "EIO"]);

/** Errors of existing files; callers check existence first. */
const unreadable = new Set(["EACCES", "EPERM", "EIO"]);

function explainReadError(error: unknown, path: string): unknown {
  const reason = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  if (!unreadable.has(reason)) return error;
  const message = `${path} cannot be read: ${(error as Error).message}; fix the cause and resume`;
  return dataError(message, { path, reason }, error);
}

/** Adds the remedy to errors of writing, as `run_unwritable`; other errors stay unchanged. */
export function explainWriteError(error: unknown, directory: string): unknown {
  const isOurs = LaconicError.is(error) && error.code === "run_unwritable";
  if (!(error instanceof Error)) return error;
  const reason = !isOurs && "code" in error && typeof error.code === "string" ? error.code : null;
  if (!isOurs && (reason === null || !unwritable.has(reason))) return error;
  const message = isOurs ? error.message : `${directory} cannot be written: ${error.message}`;
  return new LaconicError(
    "run_unwritable",
    `${message}; files saved before are complete; fix the cause, then resume, or start again without a checkpoint`,
    { directory, ...(reason !== null && { reason }) },
    error,
  );
}

/** Wraps a file system so that errors name the run or file and the remedy. */
export function explainedFileSystem(fs: FileSystem, directory: string): FileSystem {
  const readable = <T>(path: string, done: Promise<T>, explain = explainReadError): Promise<T> =>
    done.catch((error: unknown) => {
      throw explain(error, path);
    });
  const explained = <T>(done: Promise<T>): Promise<T> => readable(directory, done, explainWriteError);
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
