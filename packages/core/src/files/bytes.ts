/** Concatenates byte arrays. */
export function joinBytes(parts: readonly ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let index = 0;
  for (const part of parts) {
    whole.set(part, index);
    index += part.length;
  }
  return whole;
}

/** V8's longest string has about twice as many characters. */
const maxLineBytes = 256 << 20;

/** Yields lines without ends, one in memory at a time; null for lines above 256 MiB. An unfinished line is last. */
export async function* linesIn(
  pieces: AsyncIterable<Uint8Array>,
  whole: boolean = false,
): AsyncGenerator<Uint8Array | null> {
  let held: Uint8Array[] = [];
  let bytes = 0;
  const take = (part: Uint8Array): void => {
    bytes += part.length;
    if (bytes > maxLineBytes) held = [];
    else if (part.length > 0) held.push(part);
  };
  const taken = (): Uint8Array | null => {
    const line = bytes > maxLineBytes ? null : held.length === 1 ? held[0]! : joinBytes(held);
    [held, bytes] = [[], 0];
    return line;
  };
  for await (const piece of pieces) {
    let used = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, used)) {
      take(piece.subarray(used, end));
      used = end + 1;
      yield taken();
    }
    take(piece.subarray(used));
  }
  if (bytes > 0 && !whole) yield taken();
}
