import { LaconicError } from "@laconic/core";
import type { MathsGrader } from "../maths/maths-grader.ts";

/** @throws LaconicError `config_invalid`: a page starts no threads. */
export function mathsGrader(): MathsGrader {
  const reason = "call gradeMaths in a worker of the app, which can be ended when it takes too long";
  throw new LaconicError("config_invalid", `a browser starts no thread for the maths grader; ${reason}`, {});
}

/** @throws Error for bytes that are not a whole zlib stream, or that unpack to more than `maxBytes` */
export async function inflated(bytes: Uint8Array<ArrayBuffer>, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let total = 0;
  for await (const part of new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")) as AsyncIterable<
    Uint8Array<ArrayBuffer>
  >) {
    total += part.length;
    if (total > maxBytes) throw new Error(`unpacks to more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
