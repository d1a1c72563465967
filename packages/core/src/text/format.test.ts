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

test("numbers have three digits that count, and a minus of their own", () => {
  expect([0, 1234.5, 99.96, 9.5, 0.0123456, 0.00012, 1e-9, -2.5, -1234.5, 3e9].map(formatNumber)).toEqual([
    "0",
    "1,235",
    "100",
    "9.5",
    "0.0123",
    "0.00012",
    "1×10⁻⁹",
    "−2.5",
    "−1,235",
    "3,000,000,000",
  ]);
  expect([Infinity, -Infinity, NaN, null, undefined].map(formatNumber)).toEqual(["∞", "−∞", "–", "–", "–"]);
});

test("numbers below each other have the same decimals", () => {
  expect(formatColumn([1, 39.8, 14.04, null, -0.04, NaN])).toEqual(["1.0", "39.8", "14.0", "–", "0.0", "–"]);
  expect(formatColumn([0.00482, 0.005, -0.0304, Infinity])).toEqual(["0.0048", "0.0050", "−0.0304", "∞"]);
  expect(formatColumn([1, 2.355])).toEqual(["1.00", "2.35"]);
  expect(formatColumn([3, 400, 0])).toEqual(["3", "400", "0"]);
  expect(formatColumn([0, 0.5])).toEqual(["0.0", "0.5"]);
  expect(formatColumn([999.5, 2])).toEqual(["999.5", "2.0"]);
  expect(formatColumn([1234.5, 39.8, 2e-9])).toEqual(["1,235", "39.8", "2×10⁻⁹"]);
  expect(formatColumn([2e-9, 0])).toEqual(["2×10⁻⁹", "0"]);
  expect(formatColumn([])).toEqual([]);
  expect(
    formatCells([
      ["a", 1, "-", 7],
      ["b", 39.8, 0.5, 12],
      ["c", null, 2],
    ]),
  ).toEqual([
    ["a", "1.0", "-", "7"],
    ["b", "39.8", "0.5", "12"],
    ["c", "–", "2.0"],
  ]);
});

test("shares are per cent, and what is missing is a dash", () => {
  expect([formatPercent(0.6719), formatPercent(1), formatPercent(null)]).toEqual(["67.2 %", "100.0 %", "–"]);
  expect([counted(1, "run"), counted(1234, "run"), counted(2, "entry", "entries")]).toEqual([
    "1 run",
    "1,234 runs",
    "2 entries",
  ]);
});

test("a column's head may say per cent, and differences have a sign", () => {
  expect([formatShare(0.6719), formatShare(-0.021), formatShare(-0.0001), formatShare(null)]).toEqual([
    "67.2",
    "−2.1",
    "0.0",
    "–",
  ]);
  expect(formatPercent(0.6719, 0)).toBe("67 %");
  expect([0.031, -0.004, 0.0001, -0.0001, undefined].map((each) => formatPoints(each))).toEqual([
    "+3.1",
    "−0.4",
    "0.0",
    "0.0",
    "–",
  ]);
});

test("dollars are in cents, and less than one has three digits that count", () => {
  expect([0, 1234.5, 12.345, 0.5, 0.0446, 0.000_000_04, -2, null].map(formatUsd)).toEqual([
    "$0.00",
    "$1,234.50",
    "$12.35",
    "$0.50",
    "$0.0446",
    "$0.00000004",
    "−$2.00",
    "–",
  ]);
});

test("times have their two largest units", () => {
  expect([0, 1, 3.21, 9.96, 42, 59.6, 65, 342, 3600, 7500, 180_000, -65].map(formatDuration)).toEqual([
    "0 s",
    "1 s",
    "3.2 s",
    "10 s",
    "42 s",
    "1 m 00 s",
    "1 m 05 s",
    "5 m 42 s",
    "1 h 00 m",
    "2 h 05 m",
    "2 d 02 h",
    "−1 m 05 s",
  ]);
  expect([NaN, Infinity, null].map(formatDuration)).toEqual(["–", "–", "–"]);
});

test("memory is binary, files are decimal", () => {
  expect([0, 999, 1024, 1536, 13.26 * 2 ** 30, 2 ** 41].map(formatBytes)).toEqual([
    "0 B",
    "999 B",
    "1 KiB",
    "1.5 KiB",
    "13.3 GiB",
    "2 TiB",
  ]);
  expect([0, 999, 1500, 123_456_789].map(formatFileSize)).toEqual(["0 B", "999 B", "1.5 kB", "123 MB"]);
});
