import { readFile, writeFile } from "node:fs/promises";
import { configError } from "@laconic/core";

/** Default folder of run folders, below the working directory. */
export const runsFolder = "runs";

/** @throws LaconicError `config_invalid` with the unreadable file */
export function readGiven(file: string): Promise<Buffer> {
  return readFile(file).catch(refuse(file, "read"));
}

/** @throws LaconicError `config_invalid` with the unwritable file */
export function writeGiven(file: string, text: string): Promise<void> {
  return writeFile(file, text).catch(refuse(file, "written"));
}

function refuse(file: string, what: string): (error: Error) => never {
  return (error) => {
    throw configError(`${file} cannot be ${what}: ${error.message}; check the path`, { file }, error);
  };
}
