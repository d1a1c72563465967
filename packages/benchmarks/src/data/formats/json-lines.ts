import { boundedJson, exactJson } from "@laconic/core/json";
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
  // JSON strings hold neither byte as it is.
  const [newlineFrom, returnFrom] = [positions(bytes, 10), positions(bytes, 13)];
  let start = 0;
  for (let row = 1; start < bytes.length; row++) {
    const [newline, carriage] = [newlineFrom(start), returnFrom(start)];
    const end = Math.min(newline, carriage);
    const line = bytes.subarray(start, end);
    start = (carriage + 1 === newline ? newline : end) + 1;
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

/** Position of the byte from `start` on, or the length; positions are asked for in order. */
function positions(bytes: Uint8Array, byte: number): (start: number) => number {
  let position = -1;
  return (start) => {
    if (position < start) position = bytes.indexOf(byte, start);
    if (position < 0) position = bytes.length;
    return position;
  };
}

function parsed(file: string, row: number, text: string, exact: boolean): DataRow {
  try {
    return { file, row, value: exact ? exactJson(text) : boundedJson(text) };
  } catch (error) {
    return { file, row, reason: `not JSON: ${(error as Error).message}` };
  }
}
