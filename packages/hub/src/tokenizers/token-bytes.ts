import { isRecord, type TokenBytes, type UnknownRecord } from "@laconic/core";
import type { AddedToken } from "./special-tokens.ts";

/** Printable character of each byte in byte-level vocabularies (GPT-2's table); others map to 256 and up. */
export const byteCharacters: readonly string[] = (() => {
  let next = 256;
  const isVisible = (byte: number): boolean => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173 && byte < 256);
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isVisible(byte) ? byte : next++));
})();

const byteOf: ReadonlyMap<string, number> = new Map(byteCharacters.map((character, byte) => [character, byte]));

/**
 * Bytes that each token adds to a text.
 * @param vocabulary - by id; holes add nothing
 * @param decode - decodes consecutive tokens
 */
export function tokenBytes(
  vocabulary: readonly (string | undefined)[],
  added: readonly AddedToken[],
  decoder: unknown,
  decode: (tokens: readonly number[]) => string,
): TokenBytes {
  const addedById = new Map(added.map((token) => [token.id, token]));
  const kinds = decodersIn(decoder).map(({ type }) => type);
  const byteLevel = kinds.includes("ByteLevel");
  const encoder = new TextEncoder();
  const anchor = vocabulary.findIndex((text, id) => text !== undefined && !addedById.has(id) && /^\p{L}$/u.test(text));
  const before = anchor < 0 ? [] : [anchor];
  const known = anchor < 0 ? "" : decode(before);
  const bytesOf = (text: string | undefined, id: number): Uint8Array => {
    if (text === undefined) return new Uint8Array();
    const other = addedById.get(id);
    if (other) return encoder.encode(other.special ? "" : other.content);
    if (byteLevel) return Uint8Array.from(text, (character) => byteOf.get(character) ?? 0);
    const fallback = /^<0x([\dA-F]{2})>$/u.exec(text)?.[1];
    if (fallback !== undefined && kinds.includes("ByteFallback")) return Uint8Array.of(Number.parseInt(fallback, 16));
    return encoder.encode(decode([...before, id]).slice(known.length));
  };
  const pieces = Array.from(vocabulary, bytesOf);
  const offsets = new Int32Array(shared((pieces.length + 1) * Int32Array.BYTES_PER_ELEMENT));
  pieces.forEach((piece, id) => (offsets[id + 1] = offsets[id]! + piece.length));
  const bytes = new Uint8Array(shared(offsets.at(-1)!));
  pieces.forEach((piece, id) => bytes.set(piece, offsets[id]));
  const spaced = pieces.findIndex((piece, id) => piece.length > 1 && piece[0] === 0x20 && !addedById.has(id));
  return { bytes, offsets, dropsFirstSpace: spaced >= 0 && !decode([spaced]).startsWith(" ") };
}

/** A decoder of `tokenizer.json`, and those within it. */
export function decodersIn(decoder: unknown): UnknownRecord[] {
  if (!isRecord(decoder)) return [];
  const { decoders } = decoder;
  return [decoder, ...(Array.isArray(decoders) ? decoders.flatMap(decodersIn) : [])];
}

function shared(length: number): ArrayBufferLike {
  return typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(length) : new SharedArrayBuffer(length);
}
