/**
 * Colours by role. Text contrast is at least 4.5, and contrast of marks and borders at least 3. The series colours `c1`
 * to `c8` are distinct for all common colour-vision deficiencies.
 */
export const lightColours = {
  paper: "#f7f7f4",
  panel: "#ffffff",
  sunk: "#efefea",
  ink: "#1a1c20",
  soft: "#5a606b",
  line: "#dfdfd8",
  edge: "#8b8f98",
  accent: "#1f5fbf",
  "accent-ink": "#ffffff",
  "accent-soft": "#e4edfa",
  good: "#14724f",
  "good-soft": "#dff2e9",
  bad: "#b3402a",
  "bad-soft": "#fae6e1",
  warn: "#855a00",
  "warn-soft": "#faefd2",
  private: "#6d3fc0",
  "private-soft": "#efe8fb",
  read: "#1f5fbf",
  "read-soft": "#e4edfa",
  written: "#14724f",
  "written-soft": "#e2f3ea",
  c1: "#2232dd",
  c2: "#fb4a16",
  c3: "#124831",
  c4: "#7a7bfd",
  c5: "#825308",
  c6: "#d049c4",
  c7: "#007990",
  c8: "#828f5f",
} as const;

export const darkColours: Readonly<Record<keyof typeof lightColours, string>> = {
  paper: "#121418",
  panel: "#1a1d23",
  sunk: "#22262e",
  ink: "#eceef2",
  soft: "#a7afbc",
  line: "#2c313a",
  edge: "#717987",
  accent: "#82b1ff",
  "accent-ink": "#0d1420",
  "accent-soft": "#1f2c42",
  good: "#5ccf9f",
  "good-soft": "#173227",
  bad: "#ff9a80",
  "bad-soft": "#3c211b",
  warn: "#e8c15c",
  "warn-soft": "#352b12",
  private: "#c3a6ff",
  "private-soft": "#2b2340",
  read: "#82b1ff",
  "read-soft": "#1f2c42",
  written: "#5ccf9f",
  "written-soft": "#173227",
  c1: "#36aeff",
  c2: "#ffbf96",
  c3: "#00943a",
  c4: "#9044f6",
  c5: "#f2f111",
  c6: "#fa4ab0",
  c7: "#91e8ff",
  c8: "#a7b526",
};

export const seriesColours = 8;

/** Colour of a series from 0: `c1` to `c8`, repeating. */
export function seriesColour(index: number): number {
  return (index % seriesColours) + 1;
}

/** Text sizes, spaces (`space-2` is twice 4 px), corners, shadow, fonts. */
export const sizes = {
  "text-small": "13px",
  text: "15px",
  "text-large": "17px",
  "text-title": "22px",
  "text-figure": "26px",
  "space-1": "4px",
  "space-2": "8px",
  "space-3": "12px",
  "space-4": "16px",
  "space-6": "24px",
  "space-8": "32px",
  "space-12": "48px",
  "radius-small": "8px",
  radius: "10px",
  shadow: "0 1px 6px rgb(0 0 0 / 14%)",
  mono: `ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace`,
  sans: `system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif`,
} as const;

/** Colours as custom properties; dark theme by selector. Default: system's. */
export function colourStyle(dark?: string): string {
  const within = `${dark ?? ":root"}{${properties(darkColours)}}`;
  return `:root{${properties(lightColours)}}${dark === undefined ? `@media (prefers-color-scheme:dark){${within}}` : within}`;
}

/** {@link colourStyle} with sizes. */
export function designStyle(dark?: string): string {
  return `:root{${properties(sizes)}}${colourStyle(dark)}`;
}

function properties(of: Readonly<Record<string, string>>): string {
  return Object.entries(of)
    .map(([name, value]) => `--${name}:${value}`)
    .join(";");
}
