import { expect, test } from "vitest";
import {
  counted,
  formatBytes,
  formatCells,
  formatColumn,
  formatDuration,
  formatFileSize,
  formatNumber,
  formatPercent,
  formatPoints,
  formatShare,
  formatUsd,
} from "./format.ts";

type Format = (value: never) => string;

test.each<[name: string, format: Format, values: readonly unknown[], texts: string]>([
  [
    "formatNumber: three significant digits and a minus sign",
    formatNumber,
    [0, 1234.5, 99.96, 9.5, 0.0123456, 0.00012, 1e-9, -2.5, -1234.5, 3e9, Infinity, -Infinity, NaN, null, undefined],
    "0 | 1,235 | 100 | 9.5 | 0.0123 | 0.00012 | 1×10⁻⁹ | −2.5 | −1,235 | 3,000,000,000 | ∞ | −∞ | – | – | –",
  ],
  ["formatPercent", formatPercent, [0.6719, 1, null], "67.2 % | 100.0 % | –"],
  ["formatShare", formatShare, [0.6719, -0.021, -0.0001, null], "67.2 | −2.1 | 0.0 | –"],
  ["formatPoints", formatPoints, [0.031, -0.004, 0.0001, -0.0001, undefined], "+3.1 | −0.4 | 0.0 | 0.0 | –"],
  [
    "formatUsd: cents, and three significant digits below one dollar",
    formatUsd,
    [0, 1234.5, 12.345, 0.5, 0.0446, 0.000_000_04, -2, null],
    "$0.00 | $1,234.50 | $12.35 | $0.50 | $0.0446 | $0.00000004 | −$2.00 | –",
  ],
  [
    "formatDuration: the two largest units",
    formatDuration,
    [0, 1, 3.21, 9.96, 42, 59.6, 65, 342, 3600, 7500, 180_000, -65, NaN, Infinity, null],
    "0 s | 1 s | 3.2 s | 10 s | 42 s | 1 m 00 s | 1 m 05 s | 5 m 42 s | 1 h 00 m | 2 h 05 m | 2 d 02 h | −1 m 05 s | – | – | –",
  ],
  [
    "formatBytes: binary units",
    formatBytes,
    [0, 999, 1024, 1536, 13.26 * 2 ** 30, 2 ** 41],
    "0 B | 999 B | 1 KiB | 1.5 KiB | 13.3 GiB | 2 TiB",
  ],
  ["formatFileSize: decimal units", formatFileSize, [0, 999, 1500, 123_456_789], "0 B | 999 B | 1.5 kB | 123 MB"],
])("%s", (_, format, values, texts) => {
  expect(values.map((value) => format(value as never)).join(" | ")).toBe(texts);
});

test.each([
  [[1, 39.8, 14.04, null, -0.04, NaN], "1.0 39.8 14.0 – 0.0 –"],
  [[0.00482, 0.005, -0.0304, Infinity], "0.0048 0.0050 −0.0304 ∞"],
  [[1, 2.355], "1.00 2.35"],
  [[3, 400, 0], "3 400 0"],
  [[0, 0.5], "0.0 0.5"],
  [[999.5, 2], "999.5 2.0"],
  [[1234.5, 39.8, 2e-9], "1,235 39.8 2×10⁻⁹"],
  [[2e-9, 0], "2×10⁻⁹ 0"],
  [[], ""],
])("a column of %j has the same decimals", (values, texts) => {
  expect(formatColumn(values).join(" ")).toBe(texts);
});

test("cells that are numbers are formatted by column", () => {
  const rows = formatCells([
    ["a", 1, "-", 7],
    ["b", 39.8, 0.5, 12],
    ["c", null, 2],
  ]);
  expect(rows.map((row) => row.join(" "))).toEqual(["a 1.0 - 7", "b 39.8 0.5 12", "c – 2.0"]);
});

test("counts have their noun, and decimals can be chosen", () => {
  const counts = [counted(1, "run"), counted(1234, "run"), counted(2, "entry", "entries")];
  expect(counts).toEqual(["1 run", "1,234 runs", "2 entries"]);
  expect(formatPercent(0.6719, 0)).toBe("67 %");
});
