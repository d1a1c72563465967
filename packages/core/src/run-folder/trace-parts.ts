import { membersIn, type ReadAt } from "./episode-members.ts";
import { runFileRules, runFiles } from "./run-files.ts";

/** What of a growing file stands in a part of its own: rows of steps that are done. */
export interface TracePart {
  /** Below the run's folder. */
  readonly name: string;
  /** Steps of its rows. */
  readonly first: number;
  readonly last: number;
  /** Members of gzip, each of about a megabyte of whole rows; else plain rows, which a kill left. */
  readonly isPacked: boolean;
}

/** Files that go on in a new part as they grow. */
export const dividedFiles: readonly string[] = Object.entries(runFileRules).flatMap(([key, { isDivided = false }]) =>
  isDivided ? [runFiles[key as keyof typeof runFiles]] : [],
);

const digits = 9;

/** `metrics.jsonl` and `episodes.jsonl.gz` begin their parts' names with the same letters as their own. */
function stemOf(file: string): string {
  return file.slice(0, file.indexOf("."));
}

/** Name of a part below the run's folder. @param isPacked - of episodes always, whose file has members already */
export function tracePartName(file: string, first: number, last: number, isPacked: boolean): string {
  const [from, to] = [first, last].map((step) => String(step).padStart(digits, "0"));
  return `${runFiles.parts}/${stemOf(file)}.${from}-${to}.jsonl${isPacked ? ".gz" : ""}`;
}

/**
 * The parts of a file, the oldest first; none of one that is not divided. Of a part that stands there plain and packed, the packed one counts.
 * @param names - of what lies in the folder of parts
 */
export function tracePartsOf(file: string, names: readonly string[]): TracePart[] {
  if (!dividedFiles.includes(file)) return [];
  const pattern = new RegExp(`^${stemOf(file)}\\.(\\d{${digits}})-(\\d{${digits}})\\.jsonl(\\.gz)?$`, "u");
  const found = new Map<number, TracePart>();
  for (const name of names.toSorted()) {
    const [, first, last, packed] = pattern.exec(name) ?? [];
    if (first === undefined) continue;
    const part = { name: `${runFiles.parts}/${name}`, first: Number(first), last: Number(last) };
    found.set(part.last, { ...part, isPacked: packed !== undefined }); // ".gz" is sorted behind
  }
  return [...found.values()].toSorted((a, b) => a.last - b.last);
}

/** What reading parts takes from outside. */
export interface PartFiles {
  /** Null where there is no such file. */
  size(name: string): Promise<number | null>;
  read(name: string, from: number, length: number): Promise<Uint8Array | null>;
  unpack(bytes: Uint8Array): Promise<Uint8Array>;
}

/** A stretch of a divided file: where its bytes lie, and whether they are packed. */
interface Stretch {
  /** In the file as it would be whole. */
  readonly at: number;
  readonly bytes: number;
  readonly name: string;
  readonly from: number;
  /** In the part; null for plain bytes. */
  readonly packedBytes: number | null;
}

/** Of a packed part, found once: it never changes. */
type Layout = readonly Omit<Stretch, "at">[];

/** A file whose beginning lies in parts, read as if it had never been divided, in memory of a megabyte. */
export class DividedFile {
  readonly #files: PartFiles;
  readonly #name: string;
  readonly #layouts = new Map<string, Layout>();
  #stretches: readonly Stretch[] = [];
  /** The stretch that was unpacked last: reading goes forwards. */
  #unpacked: { readonly of: Stretch; readonly bytes: Uint8Array } | null = null;
  #size = 0;

  constructor(files: PartFiles, name: string) {
    this.#files = files;
    this.#name = name;
  }

  /** Looks what is there. @returns its size as one file; null where there is nothing */
  async look(parts: readonly TracePart[]): Promise<number | null> {
    const open = await this.#files.size(this.#name);
    const stretches: Stretch[] = [];
    let at = 0;
    const add = (each: Omit<Stretch, "at">): void => {
      stretches.push({ ...each, at });
      at += each.bytes;
    };
    const layouts = await Promise.all(parts.map((part) => this.#layoutOf(part)));
    for (const each of layouts.flat()) add(each);
    if (open !== null) add({ bytes: open, name: this.#name, from: 0, packedBytes: null });
    [this.#stretches, this.#size] = [stretches, at];
    return open === null && parts.length === 0 ? null : at;
  }

  /** So many bytes from a place, or as many as there are; null where they cannot be read. */
  readonly read: ReadAt = async (from, length) => {
    const wanted = new Uint8Array(Math.max(0, Math.min(length, this.#size - from)));
    for (let got = 0; got < wanted.length;) {
      const stretch = this.#at(from + got);
      const within = from + got - stretch.at;
      const piece = await this.#piece(stretch, within, Math.min(wanted.length - got, stretch.bytes - within));
      if (piece === null) return null;
      if (piece.length === 0) return wanted.subarray(0, got); // it has become shorter
      wanted.set(piece, got);
      got += piece.length;
    }
    return wanted;
  };

  async #piece(stretch: Stretch, within: number, length: number): Promise<Uint8Array | null> {
    const { name, from, packedBytes } = stretch;
    if (packedBytes === null) return this.#files.read(name, from + within, length);
    if (this.#unpacked?.of.name !== name || this.#unpacked.of.from !== from) {
      const packed = await this.#files.read(name, from, packedBytes);
      if (packed?.length !== packedBytes) return null;
      const bytes = await this.#files.unpack(packed).catch(() => null);
      if (bytes === null) return null;
      this.#unpacked = { of: stretch, bytes };
    }
    return this.#unpacked.bytes.subarray(within, within + length);
  }

  /** The stretch that a place lies in. */
  #at(place: number): Stretch {
    let [low, high] = [0, this.#stretches.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#stretches[middle] as Stretch).at <= place) low = middle;
      else high = middle - 1;
    }
    return this.#stretches[low] as Stretch;
  }

  async #layoutOf({ name, isPacked }: TracePart): Promise<Layout> {
    const known = this.#layouts.get(name);
    if (known) return known;
    const bytes = (await this.#files.size(name)) ?? 0;
    // Episodes are read packed, as they stand in their own file.
    if (!isPacked || this.#name.endsWith(".gz")) return [{ bytes, name, from: 0, packedBytes: null }];
    const layout: Omit<Stretch, "at">[] = [];
    for await (const { head, from, length } of membersIn((...place) => this.#files.read(name, ...place))) {
      if (!head) continue; // damaged: its rows are missing
      const end = await this.#files.read(name, from + length - 4, 4); // a gzip ends with the length of what it holds
      if (end?.length !== 4) continue;
      const unpacked = new DataView(end.buffer, end.byteOffset, 4).getUint32(0, true);
      layout.push({ bytes: unpacked, name, from, packedBytes: length });
    }
    this.#layouts.set(name, layout);
    return layout;
  }
}
