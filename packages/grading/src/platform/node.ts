import { unpackedBytes } from "@laconic/core/platform";

export { mathsGrader } from "../maths/maths-grader.ts";

/** @throws Error for bytes that are not a whole zlib stream, or that unpack to more than `maxBytes` */
export async function inflated(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return unpackedBytes(bytes, maxBytes, "deflate");
}
