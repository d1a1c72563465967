import { unpacked } from "#formats";
import { LaconicError } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { z } from "zod";
import type { ProgramCase } from "@laconic/grading";
import { pickledText } from "./pickled-text.ts";

/** Cases that unpack to more are a bomb. */
const maxBytes = 1 << 28;

const casesSchema: z.ZodType<readonly ProgramCase[]> = z.array(z.object({ input: z.string(), output: z.string() }));

/** Cases in JSON: a list of objects with `input` and `output`. @throws Error naming the place */
export function casesIn(text: string): readonly ProgramCase[] {
  const parsed = casesSchema.safeParse(boundedJson(text));
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue;
  throw new Error(`${path.join(".")}: ${message}`);
}

/**
 * LiveCodeBench's private cases: JSON, or JSON as a pickled text, compressed by zlib, in base64. The pickle is read as a text and never run.
 * @param id - of the problem, for errors
 * @throws LaconicError `data_invalid` for anything else
 */
export async function hiddenCases(stored: string, id: string): Promise<readonly ProgramCase[]> {
  if (stored === "") return [];
  try {
    if (stored.startsWith("[")) return casesIn(stored);
    const packed = Uint8Array.from(atob(stored), (char) => char.charCodeAt(0));
    return casesIn(pickledText(await unpacked(packed, maxBytes, "deflate")));
  } catch (error) {
    const reason = `private_test_cases cannot be read: ${(error as Error).message}`;
    throw new LaconicError("data_invalid", `${id}: ${reason}`, { problem: id, key: "private_test_cases" }, error);
  }
}
