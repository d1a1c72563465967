import { closeSync, existsSync, openSync, readSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { boundedJson, LaconicError } from "@laconic/core";
import { membersIn, runFiles, tracePartsOf } from "@laconic/core/run-folder";
import { unpackedBytes } from "@laconic/core/platform";

type Json = Readonly<Record<string, unknown>>;

/** A file of a run, or a part of it. */
export interface PartFile {
  readonly file: string;
  /** Last step of a part; infinite for what is in none. */
  readonly last: number;
  readonly first: number;
  readonly isPacked: boolean;
}

/** The parts of a run's file, the oldest first, and the file itself. */
export async function partsOf(directory: string, name: string): Promise<readonly PartFile[]> {
  const folder = join(directory, runFiles.parts);
  const parts = existsSync(folder) ? tracePartsOf(name, await readdir(folder)) : [];
  const first = (parts.at(-1)?.last ?? -1) + 1;
  return [
    ...parts.map((part) => ({ ...part, file: join(directory, part.name) })),
    { file: join(directory, name), first, last: Infinity, isPacked: name.endsWith(".gz") },
  ].filter(({ file }) => existsSync(file));
}

/** A row that readers of runs take, and what is packed with it. */
const mostBytes = 300 << 20;

/** @throws LaconicError `data_invalid` for a row or a member that claims to be longer than any is */
export function bytesOf(file: string, from: number, length: number): Buffer {
  if (length > mostBytes)
    throw new LaconicError("data_invalid", `${file}: at byte ${from} more than ${mostBytes} bytes belong together`, {
      file,
    });
  const open = openSync(file, "r");
  try {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(open, bytes, 0, length, from));
  } finally {
    closeSync(open);
  }
}

/** Bytes that are held at once: a member of a packed part, or as much of a plain one. */
interface Stretch {
  readonly file: string;
  readonly from: number;
  readonly length: number;
  readonly isPacked: boolean;
}

const stretchBytes = 1 << 20;

/** Rows of a file that grew over a whole run, by step: a hundred bytes of memory for each, read when they are asked for. */
export class RowsByStep {
  readonly #places = new Map<number, readonly [stretch: Stretch, from: number, to: number]>();
  #held: { readonly of: Stretch; readonly bytes: Buffer } | null = null;

  /** Notes where the rows stand; of a step that has two, the later. What is half written, or no row of a step, is left out. */
  static async of(files: readonly PartFile[]): Promise<RowsByStep> {
    const rows = new RowsByStep();
    for (const { file, isPacked } of files)
      if (isPacked) {
        for await (const { head, from, length } of membersIn(async (...place) => bytesOf(file, ...place)))
          if (head) rows.#note({ file, from, length, isPacked });
      } else rows.#notePlain(file);
    return rows;
  }

  #notePlain(file: string): void {
    const size = statSync(file).size;
    for (let from = 0, length = stretchBytes; from < size;) {
      const used = this.#note({ file, from, length: Math.min(length, size - from), isPacked: false });
      if (used === 0 && from + length >= size) return; // the last row has no end
      from += used;
      length = used === 0 ? 4 * length : stretchBytes;
    }
  }

  /** @returns bytes up to the end of its last whole row */
  #note(stretch: Stretch): number {
    const bytes = this.#bytes(stretch);
    let from = 0;
    for (let end = bytes.indexOf(10); end >= 0; from = end + 1, end = bytes.indexOf(10, from)) {
      // A trainer writes the step first.
      const [, written] = /^\{"step":(\d+)[,}]/u.exec(bytes.toString("latin1", from, Math.min(end, from + 32))) ?? [];
      const step = written === undefined ? rowIn(bytes.subarray(from, end))?.["step"] : Number(written);
      if (typeof step === "number") this.#places.set(step, [stretch, from, end]);
    }
    return from;
  }

  #bytes(of: Stretch): Buffer {
    if (this.#held?.of === of) return this.#held.bytes;
    const read = bytesOf(of.file, of.from, of.length);
    const bytes = of.isPacked ? Buffer.from(unpackedBytes(read).buffer) : read;
    this.#held = { of, bytes };
    return bytes;
  }

  has(step: number): boolean {
    return this.#places.has(step);
  }

  /** Undefined where there is none, or what stands there is no JSON. */
  get(step: number): Json | undefined {
    const [stretch, from, to] = this.#places.get(step) ?? [];
    return stretch && (rowIn(this.#bytes(stretch).subarray(from, to)) ?? undefined);
  }

  steps(): IterableIterator<number> {
    return this.#places.keys();
  }
}

function rowIn(bytes: Buffer): Json | null {
  try {
    const row = boundedJson(bytes.toString("utf8"));
    return typeof row === "object" && row !== null ? (row as Json) : null;
  } catch {
    return null; // half written
  }
}
