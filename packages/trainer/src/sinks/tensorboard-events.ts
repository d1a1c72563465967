import { joinBytes } from "@laconic/core/files";
import { doubleField, floatField, intField, lengthField } from "@laconic/core/wire";

/** Record: length, masked CRC, payload, masked CRC. */
export function frameRecord(payload: Uint8Array): Uint8Array {
  const record = new Uint8Array(16 + payload.length);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(payload.length), true);
  view.setUint32(8, maskedCrc(record.subarray(0, 8)), true);
  record.set(payload, 12);
  view.setUint32(12 + payload.length, maskedCrc(payload), true);
  return record;
}

export function encodeFileVersion(wallTime: number): Uint8Array {
  return event(wallTime, 0, lengthField(3, "brain.Event:2"));
}

/** Event with one scalar per metric; TensorBoard stores float32. */
export function encodeScalars(wallTime: number, step: number, metrics: Readonly<Record<string, number>>): Uint8Array {
  const values = finiteMetrics(metrics).map(([name, value]) =>
    lengthField(1, lengthField(1, name), floatField(2, value)),
  );
  return event(wallTime, step, lengthField(5, ...values));
}

/** Text as a code block, because TensorBoard renders Markdown. */
export function encodeText(wallTime: number, step: number, tag: string, text: string): Uint8Array {
  const code = text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
  return event(wallTime, step, summary(tag, "text", null, stringTensor(new TextEncoder().encode(code))));
}

/** Data of a plugin. @param tensor - default empty */
export function encodePluginData(
  wallTime: number,
  tag: string,
  plugin: string,
  data: Uint8Array | null,
  tensor: Uint8Array = emptyTensor,
): Uint8Array {
  return event(wallTime, 0, summary(tag, plugin, data, tensor));
}

export function stringTensor(content: Uint8Array): Uint8Array {
  return lengthField(8, intField(1, dataType.string), lengthField(2), lengthField(8, content));
}

const dataType = { float: 1, string: 7 } as const;
const tensorClass = 2;

/** Floats of shape [0]. */
const emptyTensor = lengthField(8, intField(1, dataType.float), lengthField(2, lengthField(2)));

function summary(tag: string, plugin: string, data: Uint8Array | null, tensor: Uint8Array): Uint8Array {
  const pluginData = lengthField(1, lengthField(1, plugin), ...(data ? [lengthField(2, data)] : []));
  const metadata = lengthField(9, pluginData, intField(4, tensorClass));
  return lengthField(5, lengthField(1, lengthField(1, tag), metadata, tensor));
}

function event(wallTime: number, step: number, what: Uint8Array): Uint8Array {
  return joinBytes([doubleField(1, wallTime), ...(step > 0 ? [intField(2, step)] : []), what]);
}

function maskedCrc(data: Uint8Array): number {
  const crc = crc32c(data);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

/** Finite metrics; other values leave a gap in the chart. */
export function finiteMetrics(metrics: Readonly<Record<string, number>>): [name: string, value: number][] {
  return Object.entries(metrics).filter(([name, value]) => name !== "step" && Number.isFinite(value));
}

/** CRC-32C (Castagnoli), reflected; used by TensorBoard. */
export function crc32c(data: Uint8Array): number {
  return crcOf(data, castagnoli);
}

/** CRC-32 (IEEE 802.3), as in gzip; used by W&B. */
export function crc32(data: Uint8Array): number {
  return crcOf(data, ieee);
}

const castagnoli = tableOf(0x82f63b78);
const ieee = tableOf(0xedb88320);

function tableOf(polynomial: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? polynomial ^ (c >>> 1) : c >>> 1;
    return c >>> 0;
  });
}

function crcOf(data: Uint8Array, table: Uint32Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = table[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
