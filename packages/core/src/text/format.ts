import type { Estimate } from "../numeric/intervals.ts";

/** Missing values and NaN are written as `–`. */
type Maybe = number | null | undefined;

const missing = "–";
const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Three significant digits; integers from 1,000, powers of ten (`2×10⁻⁹`) below 1e-4, `−` as minus. */
export function formatNumber(value: Maybe): string {
  if (!isNumber(value)) return missing;
  const [sign, size] = [value < 0 ? "−" : "", Math.abs(value)];
  if (size === Infinity) return `${sign}∞`;
  if (size >= 1000) return sign + formatCount(Math.round(size));
  if (size >= 1e-4 || size === 0) return sign + String(Number(size.toPrecision(3)));
  const [mantissa = "", exponent = ""] = size.toExponential(1).split("e");
  const raised = String(Math.abs(Number(exponent))).replaceAll(/\d/gu, (digit) => superscripts.charAt(Number(digit)));
  return `${sign}${Number(mantissa)}×10⁻${raised}`;
}

/**
 * Equal decimals: three significant digits for the largest, without common trailing zeros. Columns that reach 1,000, or
 * stay below 1e-4, are formatted per number.
 */
export function formatColumn(values: readonly Maybe[]): string[] {
  const sizes = values.flatMap((value) => (isNumber(value) && Number.isFinite(value) ? [Math.abs(value)] : []));
  const largest = Math.max(0, ...sizes);
  if (largest >= 1000 || largest < 1e-4) return values.map(formatNumber);
  const allowed = Math.max(1, 2 - Math.floor(Math.log10(largest)));
  const decimalsOf = (size: number) => String(Number(size.toFixed(allowed))).split(".")[1]?.length ?? 0;
  const decimals = Math.max(...sizes.map(decimalsOf));
  return values.map((value) => {
    if (!isNumber(value) || !Number.isFinite(value)) return formatNumber(value);
    const text = Math.abs(value).toFixed(decimals);
    return value < 0 && Number(text) > 0 ? `−${text}` : text;
  });
}

/** Formats numbers by column. */
export function formatCells(rows: readonly (readonly (string | Maybe)[])[]): string[][] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const shown = Array.from({ length: columns }, (_, column) =>
    formatColumn(rows.map((row) => (typeof row[column] === "string" ? null : row[column]))),
  );
  return rows.map((row, i) =>
    row.map((cell, column) => (typeof cell === "string" ? cell : (shown[column]?.[i] ?? missing))),
  );
}

/** Count with all digits: `1,234,567`. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** Count with its noun: `1 run`, `3 runs`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** 0.5 is `50.0 %`. */
export function formatPercent(share: Maybe, decimals = 1): string {
  const hundredths = formatShare(share, decimals);
  return hundredths === missing ? missing : `${hundredths} %`;
}

/** {@link formatPercent} without its sign. */
export function formatShare(share: Maybe, decimals = 1): string {
  if (!isNumber(share) || !Number.isFinite(share)) return missing;
  const text = Math.abs(100 * share).toFixed(decimals);
  return share < 0 && Number(text) > 0 ? `−${text}` : text;
}

/** Difference of two shares in percentage points, with sign: `+3.1`, `−0.4`, `0.0`. */
export function formatPoints(difference: Maybe, decimals = 1): string {
  const text = formatShare(difference, decimals);
  return Number(text) > 0 ? `+${text}` : text;
}

/** Value with interval: `1.2 [0.3, 2]`, or `1.2 [not estimable]`. */
export function formatEstimate(estimate: Estimate | null, format: (value: number) => string): string {
  if (estimate === null) return missing;
  const { value, low, high } = estimate;
  return `${format(value)} [${low === null || high === null ? "not estimable" : `${format(low)}, ${format(high)}`}]`;
}

/** Interval of shares: `57.0 % to 65.1 %`, or `not estimable`. */
export function formatInterval(interval: readonly [low: number, high: number] | null): string {
  return interval === null ? "not estimable" : interval.map((end) => formatPercent(end)).join(" to ");
}

/** Dollars in whole cents, or three significant digits below one dollar: `$1,234.50`, `$0.00123`. */
export function formatUsd(usd: Maybe): string {
  if (!isNumber(usd) || !Number.isFinite(usd)) return missing;
  if (usd < 0) return `−${formatUsd(-usd)}`;
  const rounded = usd < 1 ? Number(usd.toPrecision(3)) : Number(usd.toFixed(2));
  return `$${rounded.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 20 })}`;
}

const spans = [
  [86_400, "d", 3600, "h"],
  [3600, "h", 60, "m"],
  [60, "m", 1, "s"],
] as const;

/** Duration in its two largest units: `0.8 s`, `1 s`, `42 s`, `5 m 42 s`, `1 h 05 m`, `2 d 03 h`. */
export function formatDuration(seconds: Maybe): string {
  if (!isNumber(seconds) || !Number.isFinite(seconds)) return missing;
  if (seconds < 0) return `−${formatDuration(-seconds)}`;
  if (seconds < 9.95) return `${Number(seconds.toFixed(1))} s`;
  const whole = Math.round(seconds);
  const span = spans.find(([size]) => whole >= size);
  if (!span) return `${whole} s`;
  const [size, unit, smaller, rest] = span;
  return `${Math.floor(whole / size)} ${unit} ${String(Math.floor((whole % size) / smaller)).padStart(2, "0")} ${rest}`;
}

/** Bytes of memory in binary units: `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  return inUnits(bytes, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
}

/** Bytes of a file or transfer in decimal units: `1.5 MB`. */
export function formatFileSize(bytes: number): string {
  return inUnits(bytes, ["B", "kB", "MB", "GB", "TB"], 1000);
}

function inUnits(bytes: number, units: readonly string[], base: number): string {
  let power = 0;
  while (power < units.length - 1 && bytes >= base ** (power + 1)) power++;
  return `${Number((bytes / base ** power).toPrecision(power === 0 ? 15 : 3))} ${units[power]}`;
}

function isNumber(value: Maybe): value is number {
  return typeof value === "number" && !Number.isNaN(value);
}
