import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { LaconicError } from "@laconic/core";

/** Bytes of the largest file that is read: the largest vocabularies take a tenth of it. */
const maxBytes = 1 << 28;

/**
 * The text of a file, or null where there is none.
 * @throws LaconicError `checkpoint_missing` when it cannot be read, `weights_invalid` for what is no file, such as a pipe or
 * device, and for more than 256 MiB.
 */
export async function readTextFile(path: string): Promise<string | null> {
  const refused = (reason: string): LaconicError =>
    new LaconicError("weights_invalid", `${path} ${reason}`, { file: path });
  try {
    // Without waiting: a pipe that nobody writes to would be opened for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const found = await file.stat();
      if (!found.isFile()) throw refused("is no file");
      if (found.size > maxBytes) throw refused(`has ${found.size} bytes, at most ${maxBytes} are read`);
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
