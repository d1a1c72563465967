import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { LaconicError } from "@laconic/core";

/** Max bytes of a file, ten times the largest vocabularies. */
const maxBytes = 1 << 28;

/**
 * Text of a file, or null if missing.
 * @throws LaconicError `checkpoint_missing` if unreadable, `weights_invalid` for a pipe or device, and above 256 MiB
 */
export async function readTextFile(path: string): Promise<string | null> {
  const refused = (reason: string): LaconicError =>
    new LaconicError("weights_invalid", `${path} ${reason}`, { file: path });
  try {
    // Opening a pipe without a writer would hang.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const match = await file.stat();
      if (!match.isFile()) throw refused("is not a file");
      if (match.size > maxBytes) throw refused(`has ${match.size} bytes, the limit is ${maxBytes}`);
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw new LaconicError("checkpoint_missing", `${path} cannot be read: ${message}`, { file: path }, error);
  }
}
