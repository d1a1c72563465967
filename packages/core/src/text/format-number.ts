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
