import { promisify } from "node:util";
import { inflate } from "node:zlib";

export { mathsGrader } from "../maths/maths-grader.ts";

/** @throws Error for bytes that are not a whole zlib stream, or that unpack to more than `maxBytes` */
export function inflated(bytes: Uint8Array, maxBytes: number): Promise<Uint8Array> {
  return promisify(inflate)(bytes, { maxOutputLength: maxBytes });
}
