/** "1,234", "12.3", "0.042", "1.0e-9": four digits that count, and no more. */
export function formatNumber(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  if (size === 0) return "0";
  const text =
    size >= 100_000_000
      ? size.toExponential(2)
      : size >= 1000
        ? Math.round(size).toLocaleString("en-US")
        : size >= 100
          ? size.toFixed(0)
          : size >= 10
            ? size.toFixed(1)
            : size >= 1
              ? size.toFixed(2)
              : size >= 0.001
                ? String(Number(size.toPrecision(3)))
                : size.toExponential(1);
  const plain = /\.\d/u.test(text) && !text.includes("e") ? text.replace(/\.?0+$/u, "") : text;
  return value < 0 ? `−${plain}` : plain;
}

/** A share as percent: "67.2 %", which no line break parts. Everywhere one digit after the point. */
export function formatPercent(share: number | null | undefined): string {
  return share === null || share === undefined || Number.isNaN(share) ? "–" : `${(share * 100).toFixed(1)}\u00a0%`;
}

/** A value with its unit; a share of 0 to 1 as percent. */
export function formatValue(value: number | null | undefined, unit: string): string {
  if (unit === "share") return formatPercent(value);
  const number = formatNumber(value);
  return unit === "" || number === "–" ? number : `${number} ${unit}`;
}

const [second, minute, hour, day] = [
  { name: "s", seconds: 1 },
  { name: "min", seconds: 60 },
  { name: "h", seconds: 3600 },
  { name: "d", seconds: 86_400 },
] as const;
const durations = [
  [day, hour],
  [hour, minute],
  [minute, second],
] as const;

/** "3.2 s", "2 min 10 s", "1 h 5 min", "2 d 3 h". */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "–";
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : String(Math.round(seconds))} s`;
  const whole = Math.round(seconds);
  const [big, little] = durations.find(([{ seconds: size }]) => whole >= size) ?? durations[2];
  const units = Math.floor(whole / big.seconds);
  const rest = Math.floor((whole % big.seconds) / little.seconds);
  return rest === 0 ? `${units} ${big.name}` : `${units} ${big.name} ${rest} ${little.name}`;
}

/** "just now", "5 min ago", "3 d ago". */
export function formatAgo(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  return minutes < 1440 ? `${Math.floor(minutes / 60)} h ago` : `${Math.floor(minutes / 1440)} d ago`;
}

/** "12 kB", "3.4 MB": powers of 1000. */
export function formatBytes(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? value.toFixed(1) : value.toFixed(0)} ${units[power]}`;
}

/** "1 run", "3 runs". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
}
