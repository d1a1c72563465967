/** A time of day. */
export interface Clock {
  readonly kind: "clock";
  readonly hour: number;
  readonly minute: number;
  readonly half: "am" | "pm";
}

/** Reads `10:30 \text{ a.m.}`; null without a.m. or p.m. */
export function clockOf(text: string): Clock | null {
  if (!/[ap]\.?\s*m/iu.test(text) || text.length > 60) return null;
  const bare = text
    .replaceAll(/\\text(?![a-z])/gu, "")
    .replaceAll(/[\s{}.~]|\\[,;: ]/gu, "")
    .toLowerCase();
  const [, hour, minute = "0", half] = /^(\d{1,2})(?::(\d{2}))?([ap])m$/u.exec(bare) ?? [];
  return hour === undefined
    ? null
    : { kind: "clock", hour: Number(hour), minute: Number(minute), half: half === "a" ? "am" : "pm" };
}

const timed = /^(\d{1,2}):([0-5]\d)$/u;

export function sameTime({ hour, minute }: Clock, text: string): boolean {
  const [, h, m] = timed.exec(text.trim()) ?? [];
  return h === undefined ? minute === 0 && text.trim() === String(hour) : Number(h) === hour && Number(m) === minute;
}

/** Compares times as written, ratios of more than two parts by part; null for others. */
export function compareColons(a: string, b: string): boolean | null {
  if (!a.includes(":") || !b.includes(":")) return a.split(":").length > 2 || b.split(":").length > 2 ? false : null;
  // 3:05 is a time; 3:11 may be a ratio, equal to 6:22.
  if (timed.test(a) && timed.test(b) && /:0/u.test(a + b)) return a === b;
  const [left, right] = [a.split(":"), b.split(":")];
  if (left.length === 2 && right.length === 2) return null;
  const [x, y] = [left.map(Number), right.map(Number)];
  if (x.length !== y.length || ![...x, ...y].every((n) => Number.isSafeInteger(n) && n > 0 && n < 1e7)) return false;
  const [first, other] = [x[0]!, y[0]!];
  return x.every((n, i) => n * other === first * y[i]!);
}
