/** SHA-256 (FIPS 180-4) in hexadecimal, synchronously and without a library. */
export function sha256(data: Uint8Array | string): string {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const state = Uint32Array.from(initial);
  const block = new Uint32Array(64);
  const whole = bytes.length - (bytes.length % 64);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let index = 0; index < whole; index += 64) compress(state, block, view, index);
  // padding: one bit, zeros, and the length in bits
  const end = new Uint8Array(bytes.length - whole < 56 ? 64 : 128);
  end.set(bytes.subarray(whole));
  end[bytes.length - whole] = 0x80;
  const last = new DataView(end.buffer);
  last.setBigUint64(end.length - 8, 8n * BigInt(bytes.length));
  for (let index = 0; index < end.length; index += 64) compress(state, block, last, index);
  return Array.from(state, (word) => word.toString(16).padStart(8, "0")).join("");
}

/** First 32 bits of the fractional roots of primes: square roots of 8, cube roots of 64. */
const initial = Uint32Array.from(primes(8), (prime) => fraction(prime, 2n));
const constants = Uint32Array.from(primes(64), (prime) => fraction(prime, 3n));

function primes(count: number): number[] {
  const matches: number[] = [];
  for (let n = 2; matches.length < count; n++) if (matches.every((prime) => n % prime !== 0)) matches.push(n);
  return matches;
}

/** Integer bisection, because floating-point roots may differ between engines. */
function fraction(prime: number, power: bigint): number {
  const target = BigInt(prime) << (32n * power);
  let root = 0n;
  for (let bit = 1n << 40n; bit > 0n; bit >>= 1n) if ((root + bit) ** power <= target) root += bit;
  return Number(root & 0xffffffffn);
}

function compress(state: Uint32Array, w: Uint32Array, view: DataView, index: number): void {
  for (let t = 0; t < 16; t++) w[t] = view.getUint32(index + 4 * t);
  for (let t = 16; t < 64; t++) {
    const [x, y] = [w[t - 15]!, w[t - 2]!];
    const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
    const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
    w[t] = w[t - 16]! + s0 + w[t - 7]! + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let t = 0; t < 64; t++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[t]! + w[t]!) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = state[i]! + word;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
