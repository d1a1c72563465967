import { tryParseJson } from "../json/bounded-json.ts";
import { LaconicError } from "../errors.ts";
import { fileLines } from "./file-lines.ts";

/**
 * Reads a file of JSON lines one after the other. A torn last line, of which nothing was done, is left out.
 * @param what - the file is, as "a spending journal"
 * @param take - takes a value and the bytes of the file before and up to its end; false for what is no line of such a file
 * @returns bytes of whole lines; 0 without the file
 * @throws LaconicError `data_invalid` with file and row
 */
export async function readJsonLines(
  path: string,
  what: string,
  take: (value: unknown, start: number, end: number) => boolean,
): Promise<number> {
  let bytes = 0;
  for await (const { text, row, end } of fileLines(path)) {
    if (!take(tryParseJson(text), bytes, end)) {
      const message = `${path}:${row}: the line is none of ${what}; put it back`;
      throw new LaconicError("data_invalid", message, { path, row });
    }
    bytes = end;
  }
  return bytes;
}
