import { expect, test } from "vitest";
import { z } from "zod";
import type { RowProblem } from "./benchmark.ts";
import { readRow, type RowSchema } from "./row-schema.ts";

const ofZod = z.object({ q: z.string(), a: z.object({ n: z.number() }) }).transform(({ q, a }) => ({
  question: q,
  gold: String(a.n),
  grading: { kind: "numeric" as const },
}));
const problem = { question: "2 + 2?", gold: "4", grading: { kind: "numeric" } } as const;

test("a row is read by a schema of zod's", () => {
  expect(readRow(ofZod, { q: "2 + 2?", a: { n: 4 } })).toEqual({ problem });
  const { reason } = readRow(ofZod, { a: { n: "4" } }) as { readonly reason: string };
  expect(reason).toMatch(/^q: Invalid input.*; a: n: Invalid input/u);
});

test("a row is read by a schema of anybody's", () => {
  const read = (validate: RowSchema<RowProblem>["~standard"]["validate"]) =>
    readRow({ "~standard": { version: 1, vendor: "own", validate } }, {});
  expect(read(() => ({ value: problem }))).toEqual({ problem });
  const issues = [{ message: "is missing", path: [{ key: "rows" }, 3] }, { message: "is strange" }];
  expect(read(() => ({ issues }))).toEqual({ reason: "rows: 3: is missing; is strange" });
  expect(read(() => Promise.resolve({ value: problem }))).toEqual({
    reason: "the row schema is asynchronous; give a synchronous one",
  });
});
