import { joinBytes } from "@laconic/core/files";
import { encodeHeader, headerLength, parseHeader, prefixBytes, type StoredDtype } from "./safetensors-header.ts";

/** A tensor as stored: float64 stays, everything else is widened to float32. */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array | Float64Array;
}

/** The tensors of a safetensors file by name, and its metadata. */
export interface SafetensorsFile {
  readonly tensors: ReadonlyMap<string, StoredTensor>;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Writes float32 tensors in the safetensors format, names in the given order. */
export function encodeSafetensors(
  tensors: ReadonlyMap<string, StoredTensor>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const header = encodeHeader(
    Array.from(tensors, ([name, { shape }]) => [name, shape] as const),
    "F32",
    metadata,
  );
  const parts = [header, ...Array.from(tensors.values(), ({ values }) => encodeValues(values, "F32"))];
  return joinBytes(parts);
}

/**
 * Reads a safetensors file: F64, F32, F16 and BF16.
 * @param place - how errors call the file
 * @throws LaconicError `weights_invalid` naming the file, the tensor and what is wrong with it.
 */
export function decodeSafetensors(file: Uint8Array, place: string): SafetensorsFile {
  const dataStart = prefixBytes + headerLength(file.subarray(0, prefixBytes), file.length, place);
  const { entries, metadata } = parseHeader(file.subarray(prefixBytes, dataStart), file.length - dataStart, place);
  const tensors = new Map<string, StoredTensor>();
  for (const [name, { dtype, shape, start, end }] of entries)
    // Copied, since a tensor may lie at any address of the file.
    tensors.set(name, {
      shape,
      values: decodeValues(Uint8Array.from(file.subarray(dataStart + start, dataStart + end)), dtype),
    });
  return { tensors, metadata };
}

export function encodeValues(values: Float32Array | Float64Array, dtype: "F32" | "F64"): Uint8Array {
  const wanted = dtype === "F64" ? Float64Array : Float32Array;
  const typed = values instanceof wanted ? values : wanted.from(values);
  return new Uint8Array(typed.buffer, typed.byteOffset, typed.byteLength);
}

/** @param bytes - a buffer of their own; F32 and F64 become a view of it */
export function decodeValues({ buffer }: Uint8Array, dtype: StoredDtype): Float32Array | Float64Array {
  switch (dtype) {
    case "F64":
      return new Float64Array(buffer);
    case "F32":
      return new Float32Array(buffer);
    case "BF16": {
      const halves = new Uint16Array(buffer);
      const bits = new Uint32Array(halves.length);
      for (let i = 0; i < halves.length; i++) bits[i] = (halves[i] as number) << 16;
      return new Float32Array(bits.buffer);
    }
    case "F16": {
      const halves = new Uint16Array(buffer);
      const values = new Float32Array(halves.length);
      for (let i = 0; i < halves.length; i++) values[i] = halfToFloat(halves[i] as number);
      return values;
    }
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
