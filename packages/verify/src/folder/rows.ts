import { closeSync, createReadStream, existsSync, openSync, readSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import { linesIn } from "@laconic/core/files";
import { unpackedBytes } from "@laconic/core/platform";
import { membersIn, runFiles, tracePartsOf, type MemberHead } from "@laconic/core/run-folder";
import { isObject, type Json } from "../rules/closed-set.ts";

/** A file of a run, or a part of it. */
export interface PartFile {
  readonly file: string;
  readonly first: number;
  /** Last step of a part; infinite for the file itself. */
  readonly last: number;
  readonly isPacked: boolean;
}

/** The parts of a run's file, the oldest first, and the file itself. */
export async function partsOf(directory: string, name: string): Promise<readonly PartFile[]> {
  const folder = join(directory, runFiles.parts);
  const parts = existsSync(folder) ? tracePartsOf(name, await readdir(folder)) : [];
  const own = { file: join(directory, name), first: (parts.at(-1)?.last ?? -1) + 1, last: Infinity };
  return [
    ...parts.map((part) => ({ ...part, file: join(directory, part.name) })),
    { ...own, isPacked: name.endsWith(".gz") },
  ].filter(({ file }) => existsSync(file));
}

const mostBytes = 256 << 20;

const tooLong = (file: string): LaconicError =>
  new LaconicError("data_invalid", `${file}: more than ${mostBytes} bytes claim to be one row or record`);

/** Members of a file of episodes, or of packed rows; those that are damaged are left out. */
export async function* membersOf(file: string): AsyncGenerator<MemberHead & { readonly bytes: () => Buffer }> {
  for await (const { head, from, length } of membersIn(async (...place) => bytesOf(file, ...place)))
    if (head) yield { ...head, bytes: () => bytesOf(file, from, length) };
}

/** @throws LaconicError `data_invalid` for a member that claims to be longer than any is */
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

/** Lines one after the other: a file may be longer than a string can be. @throws LaconicError `data_invalid` for one without an end */
export async function* linesOf(part: PartFile): AsyncGenerator<string> {
  for await (const line of linesIn(piecesOf(part))) {
    if (line === null) throw new LaconicError("data_invalid", `${part.file}: a row has more bytes than any may have`);
    if (line.length > 0) yield new TextDecoder().decode(line);
  }
}

/** Of a packed part each member, of another file what is read at once. */
async function* piecesOf({ file, isPacked }: PartFile): AsyncGenerator<Uint8Array> {
  if (isPacked) for await (const { bytes } of membersOf(file)) yield unpackedBytes(bytes());
  let held = 0;
  for await (const piece of (isPacked ? [] : createReadStream(file)) as AsyncIterable<Buffer>) {
    held = piece.includes(10) ? 0 : held + piece.length;
    if (held > mostBytes) throw tooLong(file);
    yield piece;
  }
}

/** Rows with a step, in their order; half a row at the end is left out. */
export async function* rowsOf(parts: readonly PartFile[]): AsyncGenerator<Json & { readonly step: number }> {
  for (const part of parts)
    for await (const line of linesOf(part)) {
      const row = tryParseJson(line);
      if (isObject(row) && typeof row["step"] === "number") yield row as Json & { readonly step: number };
    }
}
