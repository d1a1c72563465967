import { joinBytes } from "@laconic/core/files";
import { sizeOf } from "../kernels/index.ts";
import { isRecord, LaconicError, present } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";

/** Widened to float32, except float64. */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array | Float64Array;
}

/** Tensors and metadata of a safetensors file. */
export interface SafetensorsFile {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Encodes tensors as a safetensors file. */
export function encodeSafetensors(
  tensors: ReadonlyMap<string, StoredTensor>,
  metadata: Readonly<Record<string, string>> = {},
  dtype: "F32" | "F16" = "F32",
): Uint8Array {
  const header = encodeHeader(tensors, dtype, metadata);
  const parts = [header, ...Array.from(tensors.values(), ({ values }) => encodeValues(values, dtype))];
  return joinBytes(parts);
}

/**
 * Reads F64, F32, F16 and BF16.
 * @throws LaconicError `weights_invalid`.
 */
export function decodeSafetensors(file: Uint8Array, location: string): SafetensorsFile {
  const dataStart = prefixBytes + headerLength(file.subarray(0, prefixBytes), file.length, location);
  const { entries, metadata } = parseHeader(file.subarray(prefixBytes, dataStart), file.length - dataStart, location);
  const tensors = new Map<string, StoredTensor>();
  for (const [name, { dtype, shape, start, end }] of entries)
    // Copied for alignment.
    tensors.set(name, {
      shape,
      values: decodeValues(Uint8Array.from(file.subarray(dataStart + start, dataStart + end)), dtype),
    });
  return { tensors, metadata };
}

export function encodeValues(values: Float32Array | Float64Array, dtype: "F32" | "F64" | "F16"): Uint8Array {
  if (dtype === "F16") return new Uint8Array(Uint16Array.from(values, floatToHalf).buffer);
  const ArrayType = dtype === "F64" ? Float64Array : Float32Array;
  const typed = values instanceof ArrayType ? values : ArrayType.from(values);
  return new Uint8Array(typed.buffer, typed.byteOffset, typed.byteLength);
}

/** @param bytes - unshared; F32 and F64 become views */
export function decodeValues({ buffer }: Uint8Array, dtype: StoredDtype): Float32Array | Float64Array {
  switch (dtype) {
    case "F64":
      return new Float64Array(buffer);
    case "F32":
      return new Float32Array(buffer);
    case "BF16": {
      const halves = new Uint16Array(buffer);
      const bits = new Uint32Array(halves.length);
      for (let i = 0; i < halves.length; i++) bits[i] = halves[i]! << 16;
      return new Float32Array(bits.buffer);
    }
    case "F16": {
      const halves = new Uint16Array(buffer);
      const values = new Float32Array(halves.length);
      for (let i = 0; i < halves.length; i++) values[i] = halfToFloat(halves[i]!);
      return values;
    }
  }
}

function halfToFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** IEEE 754 binary16 of the nearest value; ties go to the even one. */
function floatToHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (!(magnitude < 65520)) return sign | (Number.isNaN(value) ? 0x7e00 : 0x7c00);
  const exponent = Math.max(-14, Math.floor(Math.log2(magnitude)));
  const units = magnitude * 2 ** (10 - exponent);
  const whole = Math.floor(units);
  const isUp = units - whole > 0.5 || (units - whole === 0.5 && whole % 2 === 1);
  return sign | (((exponent + 14) << 10) + whole + Number(isUp));
}

/** Little-endian, like all platforms. */
type StoredDtype = "F64" | "F32" | "F16" | "BF16";

interface HeaderEntry {
  readonly dtype: StoredDtype;
  readonly shape: readonly number[];
  readonly start: number;
  readonly end: number;
}

interface SafetensorsHeader {
  /** Ordered as in the file. */
  readonly entries: ReadonlyMap<string, HeaderEntry>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Length field before the header. */
export const prefixBytes = 8;

/** The format's limit. */
const maxHeaderBytes = 100_000_000;

const bytesPerElement: Readonly<Record<StoredDtype, number>> = { F64: 8, F32: 4, F16: 2, BF16: 2 };

/** Data starts at a multiple of 8 bytes. */
export function encodeHeader(
  tensors: Iterable<readonly [name: string, tensor: Pick<StoredTensor, "shape">]>,
  dtype: "F32" | "F64" | "F16",
  metadata: Readonly<Record<string, string>>,
): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { format: "pt", ...metadata } };
  let end = 0;
  for (const [name, { shape }] of tensors) {
    const start = end;
    end += bytesPerElement[dtype] * sizeOf(shape);
    header[name] = { dtype, shape, data_offsets: [start, end] };
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const padded = Math.ceil(json.length / 8) * 8;
  const bytes = new Uint8Array(prefixBytes + padded).fill(0x20);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(padded), true);
  bytes.set(json, prefixBytes);
  return bytes;
}

/** @throws LaconicError `weights_invalid` if `fileBytes` cannot contain the header. */
export function headerLength(prefix: Uint8Array, fileBytes: number, location: string): number {
  if (prefix.length < prefixBytes) throw damaged(location, `${fileBytes} bytes are too few for a safetensors file`);
  const claimed = new DataView(prefix.buffer, prefix.byteOffset).getBigUint64(0, true);
  const most = Math.min(maxHeaderBytes, fileBytes - prefixBytes);
  if (claimed > BigInt(most)) throw damaged(location, `the header claims ${claimed} bytes, the limit is ${most}`);
  return Number(claimed);
}

/** @throws LaconicError `weights_invalid`, such as for gaps or overlaps. */
export function parseHeader(json: Uint8Array, dataBytes: number, location: string): SafetensorsHeader {
  const { __metadata__: metadata = {}, ...tensors } = parseObject(json, location);
  if (!isRecord(metadata) || !Object.values(metadata).every((value) => typeof value === "string"))
    throw damaged(location, "the metadata is malformed");
  const entries = Object.entries(tensors).map(([name, value]): [string, HeaderEntry] => [
    name,
    parseEntry(value, name, location),
  ]);
  entries.sort(([, a], [, b]) => a.start - b.start || a.end - b.end);
  let filled = 0;
  for (const [name, { start, end }] of entries) {
    if (start < filled) throw damaged(location, `its data overlaps that of another tensor at byte ${start}`, name);
    if (start > filled) throw damaged(location, `there is a gap before its data at byte ${start}`, name);
    if (end > dataBytes) throw damaged(location, `its data ends at byte ${end}, the file has ${dataBytes}`, name);
    filled = end;
  }
  if (filled !== dataBytes) throw damaged(location, `tensors fill ${filled} bytes, the file has ${dataBytes}`);
  return { entries: new Map(entries), metadata: metadata as Record<string, string> };
}

function parseEntry(value: unknown, name: string, location: string): HeaderEntry {
  if (!isRecord(value)) throw damaged(location, "the header entry is not an object", name);
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== "string" || !Object.hasOwn(bytesPerElement, dtype))
    throw damaged(location, `dtype ${String(dtype)} is not supported (F64, F32, F16, BF16 are)`, name);
  if (!isCounts(shape)) throw damaged(location, "the shape is malformed", name);
  if (!isCounts(offsets) || offsets.length !== 2) throw damaged(location, "the offsets are malformed", name);
  const [start, end] = offsets as [number, number];
  if (end - start !== sizeOf(shape) * bytesPerElement[dtype as StoredDtype])
    throw damaged(location, `${sizeOf(shape)} values of ${dtype} do not fill ${end - start} bytes`, name);
  return { dtype: dtype as StoredDtype, shape, start, end };
}

function parseObject(json: Uint8Array, location: string): Record<string, unknown> {
  let header: unknown;
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(json);
    header = boundedJson(text);
  } catch (error) {
    throw damaged(location, `the header is not JSON: ${(error as Error).message}`, undefined, error);
  }
  if (!isRecord(header)) throw damaged(location, "the header is not an object");
  // JSON.parse keeps the last of repeated keys; others may keep the first.
  if (colonsOutsideStrings(text) !== countKeys(header, location)) throw damaged(location, "the header repeats a key");
  return header;
}

/** Regular expressions overflow the stack in long strings. */
function colonsOutsideStrings(text: string): number {
  let colons = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (inString && character === "\\") i++;
    else if (character === '"') inString = !inString;
    else if (!inString && character === ":") colons++;
  }
  return colons;
}

const deepest = 3;

function countKeys(value: unknown, location: string, depth = 0): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth >= deepest) throw damaged(location, "the header is nested too deeply");
  let keys = 0;
  for (const item of Object.values(value))
    keys += (Array.isArray(value) ? 0 : 1) + countKeys(item, location, depth + 1);
  return keys;
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((n) => Number.isSafeInteger(n) && n >= 0);
}

function damaged(location: string, reason: string, tensor?: string, cause?: unknown): LaconicError {
  const where = tensor === undefined ? location : `${location}: tensor ${tensor}`;
  const detail = { file: location, ...present({ tensor }) };
  return new LaconicError("weights_invalid", `${where}: ${reason}`, detail, cause);
}
