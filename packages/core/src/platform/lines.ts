import { createReadStream } from "node:fs";
import { LaconicError, dataError } from "../errors.ts";
import { linesIn } from "../files/bytes.ts";
import { tryParseJson } from "../json/bounded-json.ts";

const decoder = new TextDecoder();

/**
 * Yields the lines of a file of any size; none if it is missing.
 * @returns rows from 1; `end` is the byte offset of the line's end
 * @param whole - omits an unfinished last line. Default true
 * @throws LaconicError `data_invalid` for an unreadable line, or one above 256 MiB
 */
export async function* fileLines(
  path: string,
  whole: boolean = true,
): AsyncGenerator<{ readonly text: string; readonly row: number; readonly end: number }> {
  let [row, end] = [0, 0];
  try {
    for await (const line of linesIn(createReadStream(path), whole)) {
      row += 1;
      if (line === null) throw dataError(`${path}:${row}: the line is too long`, { path, row });
      end += line.length + 1;
      yield { text: decoder.decode(line), row, end };
    }
  } catch (error) {
    if (LaconicError.is(error)) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    throw dataError(`${path} cannot be read: ${message}`, { path }, error);
  }
}

/**
 * Reads JSON lines, without an unfinished last line; returns the bytes of whole lines.
 * @param take - takes a value and its start and end in bytes; returns false for an invalid line
 * @throws LaconicError `data_invalid`
 */
export async function readJsonLines(
  path: string,
  what: string,
  take: (value: unknown, start: number, end: number) => boolean,
): Promise<number> {
  let bytes = 0;
  for await (const { text, row, end } of fileLines(path)) {
    if (!take(tryParseJson(text), bytes, end)) {
      const message = `${path}:${row}: the line is not part of ${what}; restore it`;
      throw dataError(message, { path, row });
    }
    bytes = end;
  }
  return bytes;
}
