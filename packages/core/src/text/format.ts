const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A number as a reader wants it: three significant digits, and powers of ten (`2×10⁻⁹`) only below a ten-thousandth. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "n/a";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString("en-US");
  if (size >= 1e-4) return String(Number(value.toPrecision(3)));
  const [mantissa = "", exponent = ""] = value.toExponential(1).split("e");
  const raised = String(Math.abs(Number(exponent))).replaceAll(/\d/gu, (digit) => superscripts.charAt(Number(digit)));
  return `${Number(mantissa)}×10⁻${raised}`;
}

/** A share as per cent with one decimal: 0.5 is `50.0 %`. */
export function formatPercent(fraction: number): string {
  return Number.isFinite(fraction) ? `${(100 * fraction).toFixed(1)} %` : "n/a";
}

/** `1 m 05 s`, `42 s`, `0.8 s`. */
export function formatDuration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "n/a";
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  const two = (n: number): string => String(n).padStart(2, "0");
  return hours > 0 ? `${hours} h ${two(minutes)} m` : `${minutes} m ${two(rest)} s`;
}

/** Three significant digits in the binary unit that suits. */
export function formatBytes(bytes: number): string {
  const [name, size] = (
    [
      ["TiB", 2 ** 40],
      ["GiB", 2 ** 30],
      ["MiB", 2 ** 20],
      ["KiB", 2 ** 10],
    ] as const
  ).find(([, unit]) => bytes >= unit) ?? ["B", 1];
  return `${Number((bytes / size).toPrecision(3))} ${name}`;
}
