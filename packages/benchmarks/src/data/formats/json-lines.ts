import { boundedJson } from "@laconic/core";
import type { DataRow } from "../data-row.ts";

/** Longer lines are damage, unless a benchmark says otherwise: the longest row of the others has 40 kB. */
const usualLine = 8 << 20;

/** Rows of JSON lines: with or without byte order mark, `\n` or `\r\n`, empty lines left out. */
export function* jsonLines(file: string, bytes: Uint8Array, longestLine: number = usualLine): Generator<DataRow> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  let start = 0;
  for (let row = 1; start < bytes.length; row++) {
    const newline = bytes.indexOf(10, start);
    const end = newline < 0 ? bytes.length : newline;
    const line = bytes.subarray(start, end);
    start = end + 1;
    if (line.length > longestLine) {
      yield { file, row, reason: `the line has ${line.length} bytes; at most ${longestLine} are read` };
      continue;
    }
    let text: string;
    try {
      text = decoder.decode(line);
    } catch {
      yield { file, row, reason: "the line is not UTF-8" };
      continue;
    }
    if (text.trim() !== "") yield parsed(file, row, text);
  }
}

function parsed(file: string, row: number, text: string): DataRow {
  try {
    return { file, row, value: boundedJson(text) };
  } catch (error) {
    return { file, row, reason: `not JSON: ${(error as Error).message}` };
  }
}
