import { promisify } from "node:util";
import { deflateRaw } from "node:zlib";
import { unpackedBytes } from "@laconic/core/platform";

export type ChunkCoding = "plain" | "planes" | "delta";

export const chunkCodings: readonly ChunkCoding[] = ["plain", "planes", "delta"];

/** Bytes of a float32. High bytes of neighbours are similar and rarely change in one step. */
const planes = 4;

/**
 * Returns the shortest coding. A delta is the exclusive or with the base, so it is exact.
 * @param base - of the same length; null without one
 */
export async function packChunk(
  bytes: Uint8Array,
  base: Uint8Array | null,
): Promise<{ readonly coding: ChunkCoding; readonly body: Uint8Array<ArrayBuffer> }> {
  const content = base ? exclusiveOr(bytes, base) : bytes;
  const packed = await promisify(deflateRaw)(byPlane(content), { level: 1 });
  return packed.length < bytes.length
    ? { coding: base ? "delta" : "planes", body: new Uint8Array(packed) }
    : { coding: "plain", body: new Uint8Array(bytes) };
}

/** @throws Error for bytes that are not a chunk of this length */
export async function unpackChunk(
  body: Uint8Array,
  coding: ChunkCoding,
  length: number,
  base: Uint8Array | null,
): Promise<Uint8Array> {
  if (coding === "plain") return body;
  // Limits the size while decompressing.
  const content = fromPlanes(unpackedBytes(body, length, "deflate-raw"));
  if (coding === "planes") return content;
  if (base?.length !== content.length) throw new Error("the base of the delta is missing");
  return exclusiveOr(content, base);
}

function exclusiveOr(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((value, i) => value ^ b[i]!);
}

function byPlane(bytes: Uint8Array): Uint8Array {
  const sorted = new Uint8Array(bytes.length);
  let offset = 0;
  for (let plane = 0; plane < planes; plane++)
    for (let i = plane; i < bytes.length; i += planes) sorted[offset++] = bytes[i]!;
  return sorted;
}

function fromPlanes(sorted: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(sorted.length);
  let offset = 0;
  for (let plane = 0; plane < planes; plane++)
    for (let i = plane; i < bytes.length; i += planes) bytes[i] = sorted[offset++]!;
  return bytes;
}
