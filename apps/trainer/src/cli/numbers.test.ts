import { expect, test } from "vitest";
import { formatBytes } from "@laconic/core/text";
import { parseBytes } from "./numbers.ts";

test("bytes are read in binary and decimal units", () => {
  expect(["24GiB", "16 GB", "512mib", "1.5e9", "100", "0.5KiB"].map((text) => parseBytes("memory", text))).toEqual([
    24 * 2 ** 30,
    16e9,
    512 * 2 ** 20,
    1.5e9,
    100,
    512,
  ]);
});

test.each(["", "GiB", "24 G", "-1GiB", "0", "1e999", "24GiB each"])("%j is refused", (text) => {
  expect(() => parseBytes("memory", text)).toThrow(`--memory is ${text}, expected bytes such as 24GiB`);
});

test("bytes are written with three digits in the unit that suits", () => {
  expect([0, 999, 1024, 1536, 2 ** 20 - 1, 13.26 * 2 ** 30, 2 ** 41].map(formatBytes)).toEqual([
    "0 B",
    "999 B",
    "1 KiB",
    "1.5 KiB",
    "1020 KiB",
    "13.3 GiB",
    "2 TiB",
  ]);
});
