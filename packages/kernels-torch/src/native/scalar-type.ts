/** c10::ScalarType codes; part of PyTorch's stable interface. */
export const scalarType = { int32: 3, int64: 4, float32: 6, float64: 7, bool: 11, bfloat16: 15 } as const;

export type ScalarType = (typeof scalarType)[keyof typeof scalarType];

export function scalarTypeOf(values: Float32Array | Float64Array | Int32Array | BigInt64Array): ScalarType {
  if (values instanceof Float32Array) return scalarType.float32;
  if (values instanceof Float64Array) return scalarType.float64;
  return values instanceof Int32Array ? scalarType.int32 : scalarType.int64;
}

/** Values are integers from 0. */
export function int64Of(values: Float64Array | Int32Array): BigInt64Array<ArrayBuffer> {
  // Little-endian 32-bit halves are ten times faster than BigInt.
  const words = new Int32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    words[2 * i] = value;
    words[2 * i + 1] = Math.floor(value / 2 ** 32);
  }
  return new BigInt64Array(words.buffer);
}
