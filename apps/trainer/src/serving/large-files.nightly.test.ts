import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("../../test/open-large-run.ts", import.meta.url));

/** In a process whose JavaScript heap ends at 192 MiB: more would end it. */
async function opened(what: string): Promise<Readonly<Record<string, unknown>>> {
  const words = ["--max-old-space-size=192", "--import", "tsx", program, what];
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
  });
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

/** Of a process with all its libraries and buffers. */
const maxResidentMiB = 640;

// Minutes of reading: `npm run test:chaos -- --long` does it. One GiB is already twice what a string can hold.
const isLong = process.env["LACONIC_CHAOS"] === "long";

test.skipIf(!isLong)("resumes from a raw journal of 5 GiB in bounded memory", async () => {
  const { residentMiB, ...found } = await opened("journal");
  // 568 steps of eight rollouts and a row that takes them, and eight rollouts that wait.
  expect(found).toEqual({ bytes: 5 * 2 ** 30, waiting: 8, trained: 568 * 8, warned: [] });
  expect(residentMiB).toBeLessThan(maxResidentMiB);
});

test("packs a raw journal of 1 GiB in bounded memory", async () => {
  const { residentMiB, packedBytes, ...found } = await opened("packing");
  expect(found).toEqual({ bytes: 2 ** 30, waiting: 7, trained: 113 * 8, warned: [], files: 1 });
  expect(packedBytes).toBeLessThan(1e6);
  expect(residentMiB).toBeLessThan(maxResidentMiB);
});

test("resumes a run with 300,000 rows of metrics in bounded memory", async () => {
  const { residentMiB, ...found } = await opened("metrics");
  expect(found).toEqual({ bytes: 300_000 * 2400, first: 1, last: 6 });
  expect(residentMiB).toBeLessThan(maxResidentMiB);
});
