import { describe, expect, test } from "vitest";
import { darkColours, lightColours, seriesColours } from "./tokens.ts";

type Triple = readonly [number, number, number];

const product = (rows: readonly Triple[], [x, y, z]: Triple): Triple =>
  rows.map(([a, b, c]) => a * x + b * y + c * z) as unknown as Triple;

/** Linear red, green and blue. */
function linear(colour: string): Triple {
  const parts = [1, 3, 5].map((index) => Number.parseInt(colour.slice(index, index + 2), 16) / 255);
  return parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as unknown as Triple;
}

/** WCAG 2.2. */
function contrast(a: string, b: string): number {
  const [x = 0, y = 0] = [a, b]
    .map((text) => product([[0.2126, 0.7152, 0.0722]], linear(text))[0])
    .toSorted((p, q) => p - q);
  return (y + 0.05) / (x + 0.05);
}

/** Machado, Oliveira and Fernandes (2009), severity 1, on linear colours. */
const visions: Readonly<Record<string, readonly Triple[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Ottosson's OKLab, times 100: black and white are 100 apart. */
function oklab(rgb: Triple): Triple {
  const cones = product(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    rgb.map((part) => Math.min(1, Math.max(0, part))) as unknown as Triple,
  ).map(Math.cbrt) as unknown as Triple;
  return product(
    [
      [21.04542553, 79.3617785, -0.40720468],
      [197.79984951, -242.8592205, 45.05937099],
      [2.59040371, 78.27717662, -80.8675766],
    ],
    cones,
  );
}

describe.each([
  ["light", lightColours],
  ["dark", darkColours],
] as const)("%s", (_, colours) => {
  const texts = ["good", "bad", "warn", "private", "read", "written", "accent"] as const;
  const pairs: readonly (readonly [text: keyof typeof colours, ground: keyof typeof colours])[] = [
    ...(["ink", "soft", ...texts] as const).flatMap((text) =>
      (["paper", "panel"] as const).map((on) => [text, on] as const),
    ),
    ...texts.map((text) => [text, `${text}-soft`] as const),
    ["ink", "sunk"],
    ["soft", "sunk"],
    ["accent-ink", "accent"],
  ];
  test.each(pairs)("%s is read on %s", (text, ground) => {
    expect(contrast(colours[text], colours[ground])).toBeGreaterThanOrEqual(4.5);
  });

  const series = Array.from({ length: seriesColours }, (_each, i) => colours[`c${i + 1}` as "c1"]);

  test("series and edges are seen on paper and panel", () => {
    for (const mark of [...series, colours.edge])
      for (const ground of [colours.paper, colours.panel])
        expect(contrast(mark, ground), `${mark} on ${ground}`).toBeGreaterThanOrEqual(3);
  });

  test.each(Object.entries(visions))("no two series look alike with %s vision", (_vision, matrix) => {
    const places = series.map((colour) => oklab(product(matrix, linear(colour))));
    for (const [i, a] of places.entries())
      for (const [k, b] of places.slice(0, i).entries())
        expect(
          Math.hypot(...a.map((part, index) => part - (b[index] ?? 0))),
          `c${k + 1} and c${i + 1}`,
        ).toBeGreaterThan(8);
  });
});
