import { defaultLimits } from "@laconic/sandbox";
import { afterAll, expect, test } from "vitest";
import { wasiSandbox } from "../../src/wasi/wasi-sandbox.ts";
import { forgedGrades, honestPasses, wrongVerdicts } from "./forged-grades.ts";

const sandbox = wasiSandbox({ limits: { ...defaultLimits, seconds: 1 } });
afterAll(() => sandbox.close());

test("has sixty different forgeries, and many fool a careless grader", () => {
  expect(new Set(forgedGrades.map(({ name }) => name)).size).toBe(forgedGrades.length);
  expect(new Set(forgedGrades.map(({ program }) => program)).size).toBe(forgedGrades.length);
  expect(forgedGrades.length).toBeGreaterThan(60);
  expect(forgedGrades.filter(({ fools }) => fools.includes("wasi")).length).toBeGreaterThan(30);
});

test("an honest program passes", async () => {
  expect(await honestPasses(sandbox)).toBe(true);
});

test.for(forgedGrades)("$name", async (forged) => {
  expect(await wrongVerdicts(sandbox, forged)).toEqual([]);
});
