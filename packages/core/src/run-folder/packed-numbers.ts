/** Little-endian floats in base64: `f32` if exact for all numbers, else `f64`. */
export type PackedNumbers = { readonly f32: string } | { readonly f64: string };

/** Packs without loss into at most half the bytes of a JSON list. */
export function packNumbers(values: Iterable<number>): PackedNumbers {
  const exact = Float64Array.from(values);
  const single = Float32Array.from(exact);
  return exact.every((value, i) => Object.is(value, single[i]))
    ? { f32: base64(littleEndian(single)) }
    : { f64: base64(littleEndian(exact)) };
}

/**
 * Unpacks.
 * @throws Error for invalid base64
 */
export function unpackNumbers(packed: PackedNumbers): Float64Array {
  const size = "f32" in packed ? 4 : 8;
  const bytes = fromBase64("f32" in packed ? packed.f32 : packed.f64);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Float64Array.from({ length: Math.floor(bytes.length / size) }, (_, i) =>
    size === 4 ? view.getFloat32(4 * i, true) : view.getFloat64(8 * i, true),
  );
}

function littleEndian(values: Float32Array | Float64Array): Uint8Array {
  const size = values.BYTES_PER_ELEMENT;
  const view = new DataView(new ArrayBuffer(values.length * size));
  values.forEach((value, i) =>
    size === 4 ? view.setFloat32(4 * i, value, true) : view.setFloat64(8 * i, value, true),
  );
  return new Uint8Array(view.buffer);
}

/** Decodes base64. */
function fromBase64(text: string): Uint8Array {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** The stack limits the number of arguments of a call. */
const chunk = 1 << 14;

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length; index += chunk)
    text += String.fromCharCode(...bytes.subarray(index, index + chunk));
  return btoa(text);
}
