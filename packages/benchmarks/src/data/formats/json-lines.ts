import { boundedJson, exactJson } from "@laconic/core";
import type { DataRow } from "../data-row.ts";

/** Longer lines are damage, unless a benchmark says otherwise: the longest row of the others has 40 kB. */
const usualLine = 8 << 20;

/** How JSON lines are read. */
export interface JsonLinesOptions {
  /** Keeps numbers as they are written: those that JavaScript writes in another way are `JsonText`. Default false. */
  readonly exact?: boolean;
  /** Bytes that a line may have. Default 8 MiB. */
  readonly longestLine?: number;
}

/** Rows of JSON lines: with or without byte order marks, lines that end in `\n`, `\r\n` or `\r`, empty lines left out. */
export function* jsonLines(file: string, bytes: Uint8Array, options: JsonLinesOptions = {}): Generator<DataRow> {
  const { exact = false, longestLine = usualLine } = options;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  // No JSON text holds a bare carriage return.
  const lineEnd = bytes.includes(10) ? 10 : 13;
  let start = 0;
  for (let row = 1; start < bytes.length; row++) {
    const newline = bytes.indexOf(lineEnd, start);
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
    if (text.trim() !== "") yield parsed(file, row, text, exact);
  }
}

function parsed(file: string, row: number, text: string, exact: boolean): DataRow {
  try {
    return { file, row, value: exact ? exactJson(text) : boundedJson(text) };
  } catch (error) {
    return { file, row, reason: `not JSON: ${(error as Error).message}` };
  }
}
