/**
 * Gzip file (RFC 1952) with one member per training step and evaluation, each a line of JSON. Headers have length and
 * kind, so that readers can skip members.
 */

export interface MemberHead {
  readonly step: number;
  readonly kind: "step" | "evaluation";
  readonly version: number;
  /** Otherwise it has only the few shown to readers. */
  readonly isComplete: boolean;
}

/** Byte range; `head` is null for damaged bytes. */
export interface MemberPlace {
  readonly head: MemberHead | null;
  readonly from: number;
  readonly length: number;
  readonly isLast: boolean;
}

/** Fewer bytes at the end of the file; null if unreadable. */
export type ReadAt = (from: number, length: number) => Promise<Uint8Array | null>;

/** Gzip with extra field: deflated, no time, unknown system; 14 bytes of extra with 10 in subfield "LC". */
const signature = Uint8Array.of(0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 14, 0, 0x4c, 0x43, 10, 0);
const headBytes = signature.length + 10;
const plainHeadBytes = 10;

/**
 * Adds a header to gzipped data.
 * @throws RangeError for a gzip with optional header fields
 */
export function gzipMember(gzip: Uint8Array, { step, kind, version, isComplete }: MemberHead): Uint8Array {
  if (gzip[0] !== signature[0] || gzip[1] !== signature[1] || gzip[3] !== 0)
    throw new RangeError("expected a gzip without header fields");
  const member = new Uint8Array(gzip.length - plainHeadBytes + headBytes);
  member.set(signature);
  const view = new DataView(member.buffer, signature.length);
  view.setUint32(0, member.length, true);
  view.setUint32(4, step, true);
  view.setUint8(8, version);
  view.setUint8(9, (kind === "evaluation" ? 1 : 0) + (isComplete ? 2 : 0));
  member.set(gzip.subarray(plainHeadBytes), headBytes);
  return member;
}

function headAt(bytes: Uint8Array, index: number): (MemberHead & { readonly length: number }) | null {
  if (index + headBytes > bytes.length || signature.some((byte, i) => bytes[index + i] !== byte)) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + index + signature.length);
  const flags = view.getUint8(9);
  return {
    length: view.getUint32(0, true),
    step: view.getUint32(4, true),
    kind: (flags & 1) === 1 ? "evaluation" : "step",
    version: view.getUint8(8),
    isComplete: (flags & 2) === 2,
  };
}

const pieceBytes = 1 << 16;
const jumpBytes = 1 << 12;

/** Yields members by their headers; skips damaged bytes. */
export async function* membersIn(read: ReadAt, start = 0): AsyncGenerator<MemberPlace> {
  const none: Uint8Array = new Uint8Array();
  let piece: Uint8Array = none;
  let pieceAt = 0;
  /** Many small members at once, little more than the headers of large ones. */
  let ahead = pieceBytes;
  const bytesAt = async (from: number, length: number): Promise<Uint8Array> => {
    if (from < pieceAt || from + length > pieceAt + piece.length) {
      piece = (await read(from, Math.max(length, ahead))) ?? none;
      pieceAt = from;
    }
    return piece.subarray(from - pieceAt);
  };
  for (let from = start; ;) {
    const bytes = await bytesAt(from, headBytes);
    if (bytes.length === 0) return;
    const { length = 0, ...head } = headAt(bytes, 0) ?? {};
    const isThere = length > headBytes && (await bytesAt(from + length - 1, 1)).length > 0;
    const next = isThere ? await bytesAt(from + length, headBytes) : none;
    // If no member follows, one may begin within this one's claimed length.
    const isFollowed = next.length === 0 || headAt(next, 0) !== null;
    const end = isThere && isFollowed ? null : await nextMember(bytesAt, from + 1);
    if (isThere && (end === null || end.index >= from + length)) {
      yield { head: head as MemberHead, from, length, isLast: next.length === 0 };
      from += length;
      ahead = length > pieceBytes / 4 ? jumpBytes : pieceBytes;
    } else if (end) {
      yield { head: null, from, length: end.index - from, isLast: end.isEnd };
      from = end.index;
    }
  }
}

async function nextMember(
  bytesAt: (from: number, length: number) => Promise<Uint8Array>,
  from: number,
): Promise<{ readonly index: number; readonly isEnd: boolean }> {
  for (let index = from; ;) {
    const bytes = await bytesAt(index, pieceBytes);
    for (let i = bytes.indexOf(signature[0]!); i >= 0; i = bytes.indexOf(signature[0]!, i + 1))
      if (headAt(bytes, i)) return { index: index + i, isEnd: false };
    if (bytes.length < headBytes) return { index: index + bytes.length, isEnd: true };
    index += bytes.length - headBytes + 1;
  }
}

/** Whether the last member is complete; reads only the end. */
export async function endsWhole(read: ReadAt, size: number): Promise<boolean> {
  for (let length = pieceBytes; ; length *= 8) {
    const from = Math.max(0, size - length);
    const bytes = (await read(from, size - from)) ?? new Uint8Array();
    for (let i = bytes.lastIndexOf(signature[0]!); i >= 0; i = i > 0 ? bytes.lastIndexOf(signature[0]!, i - 1) : -1) {
      const head = headAt(bytes, i);
      if (head) return from + i + head.length === size;
    }
    if (from === 0) return size === 0;
  }
}
