import { boundedJson, exactJson } from "@laconic/core/json";
import type { DataRow } from "../data-row.ts";

/** The longest usual row has 40 kB. */
const usualLine = 8 << 20;

export interface JsonLinesOptions {
  /** Keeps numbers that JavaScript would change. Default false. */
  readonly exact?: boolean;
  /** Bytes per line. Default 8 MiB. */
  readonly longestLine?: number;
}

/** Any line ends; skips empty lines. */
export function* jsonLines(file: string, bytes: Uint8Array, options: JsonLinesOptions = {}): Generator<DataRow> {
  const { exact = false, longestLine = usualLine } = options;
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });
  // JSON strings contain neither byte unescaped.
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

/** Call it with rising positions. */
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
