/** TensorBoard's record format: length, its masked CRC, payload, its masked CRC. */
export function frameRecord(payload: Uint8Array): Uint8Array {
  const record = new Uint8Array(16 + payload.length);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(payload.length), true);
  view.setUint32(8, maskedCrc(record.subarray(0, 8)), true);
  record.set(payload, 12);
  view.setUint32(12 + payload.length, maskedCrc(payload), true);
  return record;
}

/** The event that opens a file. */
export function encodeFileVersion(wallTime: number): Uint8Array {
  return concat([double(1, wallTime), bytes(3, new TextEncoder().encode("brain.Event:2"))]);
}

/** One event with a scalar per metric; TensorBoard keeps float32. */
export function encodeScalars(wallTime: number, step: number, metrics: Readonly<Record<string, number>>): Uint8Array {
  const values = Object.entries(metrics)
    .filter(([name, value]) => name !== "step" && Number.isFinite(value))
    .map(([name, value]) => bytes(1, concat([bytes(1, new TextEncoder().encode(name)), float(2, value)])));
  return concat([double(1, wallTime), varintField(2, step), bytes(5, concat(values))]);
}

/** CRC-32C (Castagnoli), reflected. */
export function crc32c(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crcTable[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0x82f63b78 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});

function maskedCrc(data: Uint8Array): number {
  const crc = crc32c(data);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

// Protocol-buffer fields: a tag of number and wire type, then the value.
function double(field: number, value: number): Uint8Array {
  const out = new Uint8Array(9);
  out[0] = (field << 3) | 1;
  new DataView(out.buffer).setFloat64(1, value, true);
  return out;
}

function float(field: number, value: number): Uint8Array {
  const out = new Uint8Array(5);
  out[0] = (field << 3) | 5;
  new DataView(out.buffer).setFloat32(1, value, true);
  return out;
}

function varintField(field: number, value: number): Uint8Array {
  return concat([Uint8Array.of(field << 3), varint(value)]);
}

function bytes(field: number, data: Uint8Array): Uint8Array {
  return concat([Uint8Array.of((field << 3) | 2), varint(data.length), data]);
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

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
