import { membersIn, type ReadAt, type TracePart } from "@laconic/core/run-folder";

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
