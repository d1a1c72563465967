/** Whole numbers of the board, by position. */
export declare const word: Readonly<
  Record<
    | "job"
    | "ended"
    | "taken"
    | "inside"
    | "helped"
    | "failed"
    | "function"
    | "argumentCount"
    | "threads"
    | "parts"
    | "units"
    | "grain"
    | "countAt"
    | "scratchAt"
    | "scratchBytes",
    number
  >
>;

export interface Board {
  readonly words: Int32Array<SharedArrayBuffer>;
  readonly base: Float64Array<SharedArrayBuffer>;
  readonly steps: Float64Array<SharedArrayBuffer>;
}

export declare const maxThreads: number;
export declare const line: number;
export declare const boardBytes: number;
export declare function boardAt(buffer: SharedArrayBuffer, address: number): Board;
export declare function takeParts(
  board: Board,
  functions: readonly ((...args: number[]) => number)[],
  thread: number,
): number;
