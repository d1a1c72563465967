import { mapValues } from "../shapes/is-record.ts";

/**
 * Colours by role, in the light and the dark theme. Text contrast is at least 4.5, and contrast of marks and borders
 * at least 3. The series colours `c1` to `c8` are distinct for all common colour-vision deficiencies.
 */
const colours = {
  paper: ["#f7f7f4", "#121418"],
  panel: ["#ffffff", "#1a1d23"],
  sunk: ["#efefea", "#22262e"],
  ink: ["#1a1c20", "#eceef2"],
  soft: ["#5a606b", "#a7afbc"],
  line: ["#dfdfd8", "#2c313a"],
  edge: ["#8b8f98", "#717987"],
  accent: ["#1f5fbf", "#82b1ff"],
  "accent-ink": ["#ffffff", "#0d1420"],
  "accent-soft": ["#e4edfa", "#1f2c42"],
  good: ["#14724f", "#5ccf9f"],
  "good-soft": ["#dff2e9", "#173227"],
  bad: ["#b3402a", "#ff9a80"],
  "bad-soft": ["#fae6e1", "#3c211b"],
  warn: ["#855a00", "#e8c15c"],
  "warn-soft": ["#faefd2", "#352b12"],
  private: ["#6d3fc0", "#c3a6ff"],
  "private-soft": ["#efe8fb", "#2b2340"],
  read: ["#1f5fbf", "#82b1ff"],
  "read-soft": ["#e4edfa", "#1f2c42"],
  written: ["#14724f", "#5ccf9f"],
  "written-soft": ["#e2f3ea", "#173227"],
  c1: ["#2232dd", "#36aeff"],
  c2: ["#fb4a16", "#ffbf96"],
  c3: ["#124831", "#00943a"],
  c4: ["#7a7bfd", "#9044f6"],
  c5: ["#825308", "#f2f111"],
  c6: ["#d049c4", "#fa4ab0"],
  c7: ["#007990", "#91e8ff"],
  c8: ["#828f5f", "#a7b526"],
} as const;

type Colours = Readonly<Record<keyof typeof colours, string>>;

export const lightColours: Colours = mapValues(colours, ([light]) => light) as Colours;
export const darkColours: Colours = mapValues(colours, ([, dark]) => dark) as Colours;

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
