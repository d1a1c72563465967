/** Larger exponents exceed 64-bit floats. */
const maxExponent = 400;

/** Writes all digits without exponent: `1.5e3` is `1500`, `0.10` stays; null for anything else. */
export function decimalText(written: string): string | null {
  const [, sign, whole = "", fraction = "", exponent = "0"] =
    /^([+-]?)(?=\.?\d)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/iu.exec(written) ?? [];
  if (sign === undefined || Math.abs(Number(exponent)) > maxExponent) return null;
  const minus = sign === "-" ? "-" : "";
  if (Number(exponent) === 0) return minus + written.replace(/^[+-]|e.*$/giu, "");
  const shift = Number(exponent);
  const padded = "0".repeat(Math.max(0, -shift)) + whole + fraction + "0".repeat(Math.max(0, shift));
  const point = Math.max(0, -shift) + whole.length + shift;
  const [before, after] = [padded.slice(0, point).replace(/^0+(?=\d)/u, ""), padded.slice(point)];
  const rest = shift < 0 ? after : after.replace(/0+$/u, "");
  return `${minus}${before === "" ? "0" : before}${rest === "" ? "" : `.${rest}`}`;
}
