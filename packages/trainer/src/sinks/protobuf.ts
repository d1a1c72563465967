import { joinBytes } from "@laconic/core/files";

// Fields: tag (number and wire type), then value.

export function doubleField(field: number, value: number): Uint8Array {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setFloat64(0, value, true);
  return joinBytes([tag(field, 1), out]);
}

export function floatField(field: number, value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setFloat32(0, value, true);
  return joinBytes([tag(field, 5), out]);
}

/** @param value - integer from 0 */
export function varintField(field: number, value: number): Uint8Array {
  return joinBytes([tag(field, 0), varint(value)]);
}

export function textField(field: number, text: string): Uint8Array {
  return bytesField(field, new TextEncoder().encode(text));
}

/** Text, bytes, or message. */
export function bytesField(field: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const data = joinBytes(parts);
  return joinBytes([tag(field, 2), varint(data.length), data]);
}

function tag(field: number, wire: number): Uint8Array {
  return varint(field * 8 + wire);
}

function varint(value: number): Uint8Array {
  const out: number[] = [];
  let rest = value;
  while (rest >= 128) {
    out.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  return Uint8Array.from([...out, rest]);
}
