const spans = [
  [86_400, "d"],
  [3600, "h"],
  [60, "m"],
] as const;

/** How long ago: `just now`, `5 m ago`, `3 d ago`. */
export function ago(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  const [size, unit] = spans.find(([least]) => seconds >= least) ?? [];
  return size === undefined ? "just now" : `${Math.floor(seconds / size)} ${unit} ago`;
}
