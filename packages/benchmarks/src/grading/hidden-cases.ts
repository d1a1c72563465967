import { unpacked } from "#formats";
import { dataError } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import type { ProgramCase } from "@laconic/grading";
import { z } from "zod";

/** Max unpacked size, against bombs. */
const maxBytes = 1 << 28;

const casesSchema: z.ZodType<readonly ProgramCase[]> = z.array(z.object({ input: z.string(), output: z.string() }));

/**
 * Parses a JSON list of objects with `input` and `output`.
 * @throws Error
 */
export function casesIn(text: string): readonly ProgramCase[] {
  const parsed = casesSchema.safeParse(boundedJson(text));
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw new Error(`${path.join(".")}: ${message}`);
}

/**
 * Reads LiveCodeBench's private cases: JSON, or base64 of zlib of a pickled JSON text. The pickle is never run.
 * @param id - problem id for errors
 * @throws LaconicError `data_invalid`
 */
export async function hiddenCases(stored: string, id: string): Promise<readonly ProgramCase[]> {
  if (stored === "") return [];
  try {
    if (stored.startsWith("[")) return casesIn(stored);
    const packed = Uint8Array.from(atob(stored), (char) => char.charCodeAt(0));
    return casesIn(pickledText(await unpacked(packed, maxBytes, "deflate")));
  } catch (error) {
    const reason = `private_test_cases cannot be read: ${(error as Error).message}`;
    throw dataError(`${id}: ${reason}`, { problem: id, key: "private_test_cases" }, error);
  }
}

/** Opcodes of a text, with the bytes of their arguments. */
const [proto, frame, stop, memoize, put, longPut] = [0x80, 0x95, 0x2e, 0x94, 0x71, 0x72];
const skipped: Readonly<Record<number, number>> = { [proto]: 1, [frame]: 8, [memoize]: 0, [put]: 1, [longPut]: 4 };
/** Bytes of their little-endian length. */
const texts: Readonly<Record<number, number>> = { 0x8c: 1, 0x58: 4, 0x8d: 8 };

/**
 * Text of a pickle (protocols 2 to 5); other opcodes are refused, and none is run.
 * @throws Error
 */
export function pickledText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text: string | null = null;
  for (let index = 0; index < bytes.length;) {
    const code = view.getUint8(index++);
    const width = texts[code];
    if (width !== undefined && text === null) {
      if (index + width > bytes.length) break;
      const length =
        width === 1
          ? view.getUint8(index)
          : width === 4
            ? view.getUint32(index, true)
            : Number(view.getBigUint64(index, true));
      index += width;
      if (index + length > bytes.length) break;
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(index, index + length));
      index += length;
    } else if (code === stop && text !== null && index === bytes.length) return text;
    else if (skipped[code] !== undefined) index += skipped[code];
    else throw new Error(`it is a pickle of more than a text (opcode 0x${code.toString(16)}), which is not run`);
  }
  throw new Error("it is not a complete pickle of a text");
}
