import { readFile, stat, writeFile } from "node:fs/promises";
import { LaconicError } from "@laconic/core";

/** Default folder of run folders, below the working directory. */
export const runsFolder = "runs";

/** @throws LaconicError `config_invalid` with the unreadable file */
export async function readGiven(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new LaconicError(
      "config_invalid",
      `${file} cannot be read: ${(error as Error).message}; check the path`,
      { file },
      error,
    );
  }
}

/** @throws LaconicError `config_invalid` with the unwritable file */
export async function writeGiven(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    throw new LaconicError(
      "config_invalid",
      `${file} cannot be written: ${(error as Error).message}; check the path`,
      { file },
      error,
    );
  }
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
