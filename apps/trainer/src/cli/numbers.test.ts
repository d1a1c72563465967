import { expect, test } from "vitest";
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
