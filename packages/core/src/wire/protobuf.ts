import { joinBytes } from "../files/bytes.ts";

/** Field of a protobuf message: a number, or bytes with a length. */
export type ProtoValue = number | Uint8Array;

const text = new TextEncoder();
const [varint, eight, lengthed, four] = [0, 1, 2, 5];

/** A whole number from 0 to 2^53. */
export function intField(field: number, value: number): Uint8Array<ArrayBuffer> {
  return joinBytes([varintOf(field * 8 + varint), varintOf(value)]);
}

/** A float64. */
export function doubleField(field: number, value: number): Uint8Array<ArrayBuffer> {
  return joinBytes([varintOf(field * 8 + eight), new Uint8Array(new Float64Array([value]).buffer)]);
}

/** A float32. */
export function floatField(field: number, value: number): Uint8Array<ArrayBuffer> {
  return joinBytes([varintOf(field * 8 + four), new Uint8Array(new Float32Array([value]).buffer)]);
}

/** A text, bytes, or the fields of a message. */
export function lengthField(field: number, ...parts: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const bytes = joinBytes(parts.map((part) => (typeof part === "string" ? text.encode(part) : part)));
  return joinBytes([varintOf(field * 8 + lengthed), varintOf(bytes.length), bytes]);
}

function varintOf(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return bytes;
}

/** Fields of a message by number, each with all of its values. @throws Error for invalid bytes */
export function fieldsOf(bytes: Uint8Array): ReadonlyMap<number, readonly ProtoValue[]> {
  const fields = new Map<number, ProtoValue[]>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  const read = () => {
    let value = 0;
    for (let scale = 1, byte = 128; byte >= 128; scale *= 128) {
      if (offset >= bytes.length || scale > 2 ** 63) throw new Error("unterminated number");
      byte = bytes[offset++]!;
      value += (byte % 128) * scale;
    }
    return value;
  };
  const skip = (length: number) => {
    const from = offset;
    offset += length;
    if (offset > bytes.length) throw new Error(`${offset - bytes.length} bytes are missing`);
    return from;
  };
  while (offset < bytes.length) {
    const tag = read();
    const kind = tag % 8;
    let value: ProtoValue;
    if (kind === varint) value = read();
    else if (kind === eight) value = view.getFloat64(skip(8), true);
    else if (kind === four) value = view.getFloat32(skip(4), true);
    else if (kind === lengthed) {
      const length = read();
      const from = skip(length);
      value = bytes.subarray(from, from + length);
    } else throw new Error(`unknown field kind ${kind}`);
    const field = Math.floor(tag / 8);
    fields.set(field, [...(fields.get(field) ?? []), value]);
  }
  return fields;
}
