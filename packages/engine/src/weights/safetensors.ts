import { LaconicError } from "@laconic/core";

/** A tensor as stored: values widened to float32. */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

export interface SafetensorsFile {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The format's own ceiling on the header. */
const maxHeaderBytes = 100_000_000;

const bytesPerElement: Readonly<Record<string, number>> = { F64: 8, F32: 4, F16: 2, BF16: 2 };

/** Writes float32 tensors in the safetensors format, names in the given order, data aligned to 8 bytes. */
export function encodeSafetensors(
  tensors: ReadonlyMap<string, StoredTensor>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: "pt", ...metadata } };
  let end = 0;
  for (const [name, { shape, values }] of tensors) {
    header[name] = { dtype: "F32", shape, data_offsets: [end, end + values.byteLength] };
    end += values.byteLength;
  }
  const text = JSON.stringify(header);
  const json = new TextEncoder().encode(text + " ".repeat((8 - (new TextEncoder().encode(text).length % 8)) % 8));
  const file = new Uint8Array(8 + json.length + end);
  new DataView(file.buffer).setBigUint64(0, BigInt(json.length), true);
  file.set(json, 8);
  let at = 8 + json.length;
  for (const { values } of tensors.values()) {
    file.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += values.byteLength;
  }
  return file;
}

/**
 * Reads a safetensors file: F64, F32, F16 and BF16.
 * @param place - how errors call the file
 * @throws LaconicError `weights_invalid` naming the file, the tensor and what is wrong with it.
 */
export function decodeSafetensors(file: Uint8Array, place: string): SafetensorsFile {
  const fail = (reason: string, name?: string): LaconicError =>
    new LaconicError("weights_invalid", `${place}: ${name === undefined ? "" : `tensor ${name}: `}${reason}`, {
      file: place,
      ...(name !== undefined && { tensor: name }),
    });
  if (file.length < 8) throw fail(`${file.length} bytes are too few for a safetensors file`);
  const headerBytes = new DataView(file.buffer, file.byteOffset).getBigUint64(0, true);
  if (headerBytes > BigInt(maxHeaderBytes) || headerBytes > BigInt(file.length - 8))
    throw fail(`the header claims ${headerBytes} bytes, the file holds ${file.length - 8}`);
  const dataStart = 8 + Number(headerBytes);
  const header = parseHeader(file.subarray(8, dataStart), fail);
  const data = file.subarray(dataStart);

  const tensors = new Map<string, StoredTensor>();
  const spans: { name: string; start: number; end: number }[] = [];
  let metadata: Record<string, string> = {};
  for (const [name, entry] of Object.entries(header)) {
    if (name === "__metadata__") {
      metadata = entry as unknown as Record<string, string>;
      continue;
    }
    const { dtype, shape, data_offsets: offsets } = entry;
    const width = bytesPerElement[dtype ?? ""];
    if (width === undefined) throw fail(`dtype ${String(dtype)} is not supported (F64, F32, F16, BF16 are)`, name);
    if (!Array.isArray(shape) || !shape.every((n) => Number.isSafeInteger(n) && n >= 0))
      throw fail("the shape is malformed", name);
    const [start, end] = offsets ?? [];
    if (
      !Number.isSafeInteger(start) ||
      !Number.isSafeInteger(end) ||
      (start as number) < 0 ||
      (end as number) > data.length
    )
      throw fail(`offsets [${String(start)}, ${String(end)}] leave the ${data.length} bytes of data`, name);
    const size = shape.reduce((product, n) => product * n, 1);
    if ((end as number) - (start as number) !== size * width)
      throw fail(`${size} values of ${dtype} do not fill ${(end as number) - (start as number)} bytes`, name);
    spans.push({ name, start: start as number, end: end as number });
    tensors.set(name, { shape, values: widen(data.slice(start, end), dtype as string) });
  }
  spans.sort((a, b) => a.start - b.start || a.end - b.end);
  for (let i = 1; i < spans.length; i++) {
    const [before, span] = [spans[i - 1] as (typeof spans)[0], spans[i] as (typeof spans)[0]];
    if (span.start < before.end) throw fail(`its data overlaps that of ${before.name}`, span.name);
  }
  return { tensors, metadata };
}

interface HeaderEntry {
  readonly dtype?: string;
  readonly shape?: readonly number[];
  readonly data_offsets?: readonly number[];
}

function parseHeader(bytes: Uint8Array, fail: (reason: string) => LaconicError): Record<string, HeaderEntry> {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw fail("the header is not JSON");
  }
  if (typeof header !== "object" || header === null || Array.isArray(header)) throw fail("the header is not an object");
  for (const entry of Object.values(header))
    if (typeof entry !== "object" || entry === null) throw fail("a header entry is not an object");
  return header as Record<string, HeaderEntry>;
}

function widen(bytes: Uint8Array, dtype: string): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (dtype) {
    case "F32":
      return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
    case "F64":
      return Float32Array.from({ length: bytes.length / 8 }, (_, i) => view.getFloat64(8 * i, true));
    case "BF16": {
      const bits = Uint32Array.from({ length: bytes.length / 2 }, (_, i) => view.getUint16(2 * i, true) << 16);
      return new Float32Array(bits.buffer);
    }
    default:
      return Float32Array.from({ length: bytes.length / 2 }, (_, i) => halfToFloat(view.getUint16(2 * i, true)));
  }
}

/** IEEE 754 binary16. */
function halfToFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
