import { LaconicError } from "@laconic/core";
import { expect, test } from "vitest";
import type { RecordFile } from "./record-file.ts";
import type { SampleRecord } from "./sample-record.ts";
import { SampleTaker } from "./take-samples.ts";

type Kept = Pick<SampleRecord, "status" | "attempt" | "error">;

test.each([
  ["aborted", "aborted"],
  ["budget_refused", "no money is left"],
] as const)("a sample that ends with %s stops the others: %s", async (code, stopped) => {
  const records = new Map<string, Kept>();
  const file = { records, append: async () => undefined } as unknown as RecordFile<Kept>;
  const taker = new SampleTaker<string, Kept>(
    {
      keyOf: (job) => job,
      take: () => Promise.reject(new LaconicError(code, "no money is left")),
      failed: (_, attempt) => ({ status: "error", attempt, error: "" }),
    },
    file,
    { concurrency: 1, maxErrors: null, signal: AbortSignal.timeout(60_000) },
  );
  await taker.take(["a", "b"]);
  expect(taker.stopped).toBe(stopped);
  expect(taker.counts).toEqual({});
});

test("samples in flight end at once if a record cannot be stored, and the error follows", async () => {
  const full = new LaconicError("run_unwritable", "the disk is full");
  const append = (): Promise<void> => Promise.reject(full);
  const file = { records: new Map<string, Kept>(), append } as unknown as RecordFile<Kept>;
  const ended: string[] = [];
  const taker = new SampleTaker<string, Kept>(
    {
      keyOf: (job) => job,
      take: (job, attempt, _, signal) =>
        job === "quick"
          ? Promise.resolve({ status: "scored", attempt, error: null })
          : new Promise((__, reject) => {
              signal.addEventListener("abort", () => {
                ended.push(job);
                reject(new LaconicError("aborted", "ended"));
              });
            }),
      failed: (_, attempt) => ({ status: "error", attempt, error: "" }),
    },
    file,
    { concurrency: 3, maxErrors: null, signal: undefined },
  );
  await expect(taker.take(["slow", "quick", "slower", "never"])).rejects.toBe(full);
  expect(ended).toEqual(["slow", "slower"]);
  expect(taker.stopped).toBe("the disk is full");
});
