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
  for (const byte of data) crc = (table[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
