/** What a {@link Recorder} has done so far. */
export interface RecordingCounts {
  readonly recorded: number;
  readonly replayed: number;
  /** How often nothing could be recorded, by reason. */
  readonly refused: Readonly<Record<string, number>>;
}

/** Work that repeats, enqueued again and again as one call: CUDA's graphs. */
export interface Recorder {
  readonly counts: RecordingCounts;
  /**
   * Runs `body` where recordings are made. What a first run sets up, such as handles of libraries and tensors that are
   * worked out once, cannot be recorded: the same work is rehearsed before.
   */
  rehearse<T>(body: () => T): T;
  /**
   * Runs `body` once and keeps it. What comes from the host is fixed with it: shapes, numbers, and which tensors it
   * names. It reads tensors from outside as they are at each run, and leaves results in them in place; what it makes is
   * gone at its end. It neither uploads nor reads.
   *
   * @returns null where the set cannot record it, for lack of memory too: nothing has run then
   */
  record(body: () => void): Recording | null;
}

/** What a {@link Recorder} has kept. */
export interface Recording {
  /**
   * Runs it again.
   * @returns false, and nothing has run, where it had to be given up: a tensor that it names was freed, or memory grew short
   */
  replay(): boolean;
  free(): void;
}
