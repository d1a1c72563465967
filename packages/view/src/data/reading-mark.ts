/** A file of a run folder. */
export interface ReadFile {
  /** Of the run, or the bench. */
  readonly id: string;
  readonly file: string;
}

/** The file that is being read, in memory that outlives a thread: it tells which one ended the thread. */
export class ReadingMark {
  readonly buffer: SharedArrayBuffer;
  readonly #bytes: Uint8Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(512)) {
    this.buffer = buffer;
    this.#bytes = new Uint8Array(buffer);
  }

  set({ id, file }: ReadFile): void {
    this.#bytes.fill(0);
    this.#bytes.set(new TextEncoder().encode(`${id}\n${file}`).subarray(0, this.#bytes.length));
  }

  clear(): void {
    this.#bytes.fill(0);
  }

  /** Null where nothing is being read. */
  read(): ReadFile | null {
    const end = this.#bytes.indexOf(0);
    // A copy: a decoder takes no shared memory.
    const text = new TextDecoder().decode(this.#bytes.slice(0, end < 0 ? undefined : end));
    const [id = "", file = ""] = text.split("\n");
    return id === "" ? null : { id, file };
  }
}

/** Work of which one piece is done at a time, so that the mark is of the piece that is being done. */
export class Lane {
  readonly #mark: ReadingMark | null;
  #busy: Promise<unknown> = Promise.resolve();

  constructor(mark: ReadingMark | null) {
    this.#mark = mark;
  }

  do<T>(work: () => Promise<T>): Promise<T> {
    const cleared = async (): Promise<T> => {
      try {
        return await work();
      } finally {
        this.#mark?.clear();
      }
    };
    const done = this.#busy.then(cleared, cleared);
    this.#busy = done.catch(() => undefined);
    return done;
  }
}
