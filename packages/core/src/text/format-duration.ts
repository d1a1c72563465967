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
