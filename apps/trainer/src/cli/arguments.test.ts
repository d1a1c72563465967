import { expect, test } from "vitest";
import { bytesFlag } from "./arguments.ts";

const bytesOf = (text: string): number | undefined => bytesFlag("Memory").read?.(text, "memory");

test.each([
  ["24GiB", 24 * 2 ** 30],
  ["16 GB", 16e9],
  ["512mib", 512 * 2 ** 20],
  ["1.5e9", 1.5e9],
  ["100", 100],
  ["0.5KiB", 512],
])("%s is read in binary and decimal units", (text, bytes) => expect(bytesOf(text)).toBe(bytes));

test.each(["", "GiB", "24 G", "-1GiB", "0", "1e999", "24GiB each"])("rejects %j", (text) => {
  expect(() => bytesOf(text)).toThrow(`--memory is ${text}, expected bytes such as 24GiB`);
});
