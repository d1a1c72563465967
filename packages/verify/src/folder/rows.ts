import { closeSync, createReadStream, existsSync, openSync, readSync } from "node:fs";
import { LaconicError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { linesIn } from "@laconic/core/files";
import { membersIn, type MemberHead } from "@laconic/core/run-folder";
import { isObject, type Json } from "../rules/closed-set.ts";

const mostBytes = 256 << 20;

const tooLong = (file: string): LaconicError =>
  new LaconicError("data_invalid", `${file}: more than ${mostBytes} bytes claim to be one row or record`);

/** Members of a file of episodes, without damaged ones; none for a missing file. */
export async function* membersOf(file: string): AsyncGenerator<MemberHead & { readonly bytes: () => Buffer }> {
  if (!existsSync(file)) return;
  for await (const { head, from, length } of membersIn(async (...location) => bytesOf(file, ...location)))
    if (head) yield { ...head, bytes: () => bytesOf(file, from, length) };
}

/** @throws LaconicError `data_invalid` for a member above the size limit */
function bytesOf(file: string, from: number, length: number): Buffer {
  if (length > mostBytes) throw tooLong(file);
  const open = openSync(file, "r");
  try {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(open, bytes, 0, length, from));
  } finally {
    closeSync(open);
  }
}

/**
 * Rows with a step, in order; none for a missing file. An incomplete last row is skipped.
 * @throws LaconicError `data_invalid` for a row without an end
 */
export async function* rowsOf(file: string): AsyncGenerator<Json & { readonly step: number }> {
  if (!existsSync(file)) return;
  for await (const line of linesIn(piecesOf(file))) {
    if (line === null) throw tooLong(file);
    const row = tryParseJson(new TextDecoder().decode(line));
    if (isObject(row) && typeof row["step"] === "number") yield row as Json & { readonly step: number };
  }
}

/** Pieces of a file. @throws LaconicError `data_invalid` for a row that is too long, before it fills the memory */
async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  let held = 0;
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    held = piece.includes(10) ? 0 : held + piece.length;
    if (held > mostBytes) throw tooLong(file);
    yield piece;
  }
}
