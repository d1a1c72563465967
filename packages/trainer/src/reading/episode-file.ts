import {
  formerRecordVersion,
  formerRunFiles,
  membersIn,
  recordVersion,
  runFiles,
  type MemberHead,
} from "@laconic/core/run-folder";
import type { RunSource } from "../run/run-source.ts";
import { RowFile } from "./row-file.ts";
import { rowOf } from "./rows.ts";

/** Where episodes of a step or of an evaluation stand. */
export interface EpisodeEntry extends MemberHead {
  readonly file: string;
  readonly from: number;
  readonly length: number;
  /** Counted from 1 in its file. */
  readonly number: number;
}

/** What a reading gives. */
export interface EntryReader {
  /** A file is another one, or shorter: what was read counts for nothing, and all is read from its beginning. */
  reset(): void;
  entry(entry: EpisodeEntry): void;
  /** What was passed over, in words. */
  damage(message: string): void;
}

/**
 * The episodes of a run folder that may grow: where each step's stand, which is found fast, without reading them. Folders of earlier
 * versions have records in one file and transcripts in two.
 */
export class EpisodeFile {
  readonly #source: RunSource;
  readonly #name: string;
  readonly #former: readonly RowFile[];
  #inode = 0;
  readonly #start: number;
  /** All before is read. */
  #at: number;
  #count = 0;

  /**
   * @param name - of the file: that of the training, one of its parts, or that of the test problems, which has had no other form
   * @param start - the byte from which on members count; 0 by default
   */
  constructor(source: RunSource, name: string = runFiles.episodes, start: number = 0) {
    this.#source = source;
    this.#name = name;
    this.#start = start;
    this.#at = start;
    const former = [formerRunFiles.records, formerRunFiles.rollouts, formerRunFiles.episodes];
    this.#former = name === runFiles.episodes ? former.map((each) => new RowFile(source, each)) : [];
  }

  /** Finds what is new. @returns whether there was anything */
  async readNew(reader: EntryReader): Promise<boolean> {
    let isNew = false;
    for (const file of this.#former) {
      const row = (line: Uint8Array, { from, length }: { readonly from: number; readonly length: number }): void => {
        const head = formerHead(file.name, line);
        if (head) this.#tell(reader, { ...head, file: file.name, from, length, number: file.rows });
        else reader.damage(`${file.name}: row ${file.rows} is none`);
      };
      const before = file.tooLong;
      if (await file.readNew({ reset: () => reader.reset(), row })) isNew = true;
      if (file.tooLong !== null && file.tooLong !== before) reader.damage(file.tooLong);
    }
    return (await this.#readMembers(reader)) || isNew;
  }

  async #readMembers(reader: EntryReader): Promise<boolean> {
    const file = this.#name;
    const found = await this.#source.stat(file);
    const isOther = this.#at > this.#start && (!found || (found.ino ?? 0) !== this.#inode || found.size < this.#at);
    if (isOther) {
      this.#at = this.#start;
      this.#count = 0;
      reader.reset();
    }
    if (!found || found.size <= this.#at) return isOther;
    this.#inode = found.ino ?? 0;
    const before = this.#at;
    const read = (from: number, length: number): Promise<Uint8Array | null> => this.#source.bytes(file, from, length);
    for await (const { head, from, length, isLast } of membersIn(read, this.#at)) {
      if (!head && isLast) break; // half written
      this.#count += 1;
      this.#at = from + length;
      if (head) this.#tell(reader, { ...head, file, from, length, number: this.#count });
      else reader.damage(`${file}: member ${this.#count} is damaged, ${length} bytes from byte ${from} on`);
    }
    return isOther || this.#at > before;
  }

  #tell(reader: EntryReader, entry: EpisodeEntry): void {
    // Of a version that no reader knows, no head is read further.
    const former = entry.file === formerRunFiles.records ? formerRecordVersion : entry.version;
    const known = entry.file.endsWith(".gz") ? recordVersion : former;
    if (entry.version === known) reader.entry(entry);
    else reader.damage(`${entry.file}: row ${entry.number} has version ${entry.version}, this program reads ${known}`);
  }
}

const latin = new TextDecoder("latin1");

/** Bytes in which the head of a line stands as the trainer wrote it. */
const headBytes = 200;

/** Null for a line that holds no episodes. */
function formerHead(file: string, line: Uint8Array): MemberHead | null {
  const start = latin.decode(line.subarray(0, headBytes));
  if (file !== formerRunFiles.records) {
    const [, step] = /^\{"step":(\d+),/u.exec(start) ?? [];
    const kind = file === formerRunFiles.rollouts ? "step" : "evaluation";
    return step === undefined ? null : { step: Number(step), kind, version: formerRecordVersion, isComplete: false };
  }
  const found = /^\{"step":(\d+),"kind":"(step|evaluation)","version":(\d+),"deflate":"/u.exec(start);
  const { step, kind, version } = found
    ? { step: Number(found[1]), kind: found[2], version: Number(found[3]) }
    : (rowOf(line) ?? {});
  const isHead = typeof step === "number" && typeof version === "number";
  return isHead && (kind === "step" || kind === "evaluation") ? { step, kind, version, isComplete: true } : null;
}
