/** Work that says where it can be put aside for a while. */
export type Chunked<T> = Generator<undefined, T, undefined>;

/** Does all of it. */
export function runSync<T>(work: Chunked<T>): T {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
  }
}

/** Does all of it, with a turn for others between its pieces. */
export async function runChunked<T>(work: Chunked<T>, turn: () => Promise<void>): Promise<T> {
  for (;;) {
    const piece = work.next();
    if (piece.done) return piece.value;
    await turn();
  }
}
