import { membersIn, recordVersion, runFiles, type MemberHead } from "@laconic/core/run-folder";
import type { RunSource } from "./run-source.ts";

/** Location of the episodes of a step or an evaluation. */
export interface EpisodeEntry extends MemberHead {
  readonly file: string;
  readonly from: number;
  readonly length: number;
  /** Counts from 1. */
  readonly number: number;
}

/** Receives the entries of an episode file. */
export interface EntryReader {
  /** The file was replaced or cut; reading restarts. */
  reset(): void;
  entry(entry: EpisodeEntry): void;
  damage(message: string): void;
}

/** Finds the episodes of each step in a growing file, without reading them. */
export class EpisodeFile {
  readonly #source: RunSource;
  readonly #name: string;
  #inode = 0;
  /** Bytes read so far. */
  #at = 0;
  #count = 0;

  /** @param name - training or test episodes */
  constructor(source: RunSource, name: string = runFiles.episodes) {
    this.#source = source;
    this.#name = name;
  }

  /** Reads new entries. @returns whether there were any */
  async readNew(reader: EntryReader): Promise<boolean> {
    const file = this.#name;
    const found = await this.#source.stat(file);
    const isOther = this.#at > 0 && (!found || (found.ino ?? 0) !== this.#inode || found.size < this.#at);
    if (isOther) {
      this.#at = 0;
      this.#count = 0;
      reader.reset();
    }
    if (!found || found.size <= this.#at) return isOther;
    this.#inode = found.ino ?? 0;
    const before = this.#at;
    const read = (from: number, length: number): Promise<Uint8Array | null> => this.#source.bytes(file, from, length);
    for await (const { head, from, length, isLast } of membersIn(read, this.#at)) {
      if (!head && isLast) break; // half-written
      this.#count += 1;
      this.#at = from + length;
      if (head) this.#tell(reader, { ...head, file, from, length, number: this.#count });
      else reader.damage(`${file}: member ${this.#count} is damaged, ${length} bytes from byte ${from} on`);
    }
    return isOther || this.#at > before;
  }

  #tell(reader: EntryReader, entry: EpisodeEntry): void {
    if (entry.version === recordVersion) reader.entry(entry);
    else {
      const { file, number, version } = entry;
      reader.damage(`${file}: row ${number} has version ${version}, this program reads ${recordVersion}`);
    }
  }
}
