import { expect, test } from "vitest";
import { runCharts } from "../run/run-charts.ts";
import { renderLineChart } from "./line-chart.ts";
import { loadPlot } from "./plot-library.ts";
import { downsample, smooth } from "./series.ts";
import { boxAround, placeLabels } from "./place-labels.ts";
import { fitTo, linesOf, textWidth } from "./text-size.ts";
import { logTicks, roundDomain, roundTicks, tickFormat } from "./ticks.ts";

test("ticks are round, and read with the same decimals, in per cent or plain", () => {
  const ticks = roundTicks(0.84, 1, 5);
  expect(ticks).toBeAllclose([0.85, 0.9, 0.95, 1]);
  expect([0.85, 1].map(tickFormat(ticks, "%"))).toEqual(["85 %", "100 %"]);
  expect([0, 0.005, 0.02].map(tickFormat(roundTicks(0, 0.02, 4), "per token"))).toEqual(["0", "0.005", "0.020"]);
  expect([-1.5, 0].map(tickFormat([-1.5, -1, -0.5, 0], ""))).toEqual(["−1.5", "0"]);
  expect([30_000].map(tickFormat([0, 10_000], "tokens"))).toEqual(["30,000"]);
  expect([1e-9].map(tickFormat([0, 1e-9], ""))).toEqual(["1×10⁻⁹"]);
});

test("an axis of steps has whole numbers, and one ends where its ticks do", () => {
  expect(roundTicks(1, 3, 8, 1)).toEqual([1, 2, 3]);
  expect(roundDomain(-0.3, 61, 4)).toEqual([-20, 80]);
  expect(logTicks(251, 3620, 4)).toEqual([500, 1000, 2000]);
  expect(logTicks(2, 90_000, 5)).toEqual([10, 100, 1000, 10_000]);
});

test("labels lie on nothing: not on each other, on what is drawn, nor beyond the edge", () => {
  const bounds = { left: 0, top: 0, right: 200, bottom: 200 };
  const points = [20, 24, 28, 32, 36, 195].map((x) => ({ x, y: 100, width: 30, height: 12 }));
  const dots = points.map(({ x, y }) => boxAround(x, y, 8, 8));
  const placed = placeLabels(points, dots, bounds);
  const boxes = placed.map((at) => boxAround(at?.x ?? Number.NaN, at?.y ?? Number.NaN, 30, 12));
  for (const [i, box] of boxes.entries()) {
    expect(box.left >= 0 && box.right <= 200 && box.top >= 0 && box.bottom <= 200).toBe(true);
    for (const other of [...dots, ...boxes.slice(i + 1)])
      expect(box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom).toBe(
        false,
      );
  }
  expect(placed.some((at) => at?.leader)).toBe(true);
  expect(placeLabels([{ x: 5, y: 5, width: 500, height: 12 }], [], bounds)).toEqual([null]);
});

test("texts are cut to their room, by whole characters, with what hides made visible", () => {
  expect(fitTo("short", 200)).toBe("short");
  const cut = fitTo("😀".repeat(50), 100);
  expect(cut).toMatch(/^(?:😀)+…$/u);
  expect(textWidth(cut)).toBeLessThanOrEqual(100);
  expect(fitTo("a\u202Eb", 500)).toBe("a⟨U+202E⟩b");
  expect(linesOf("one two three", textWidth("one two"))).toEqual(["one two", "three"]);
});

test("a million points draw as a few hundred, with their extremes", () => {
  const points = Array.from({ length: 1_000_000 }, (_, x) => ({ x, y: Math.sin(x / 1000) }));
  points[777_777] = { x: 777_777, y: 9 };
  const fewer = downsample(points);
  expect(fewer.length).toBeLessThanOrEqual(600);
  expect(fewer.map(({ x }) => x)).toEqual(fewer.map(({ x }) => x).toSorted((a, b) => a - b));
  expect(Math.max(...fewer.map(({ y }) => y))).toBe(9);
  expect(downsample(points.slice(0, 600))).toHaveLength(600);
});

test("a step without a value is a gap: smoothing and thinning go on after it", () => {
  const ys = [1, Number.NaN, 3, 5, Infinity, 1];
  expect(
    smooth(
      ys.map((y, x) => ({ x, y })),
      3,
    ).map(({ y }) => y),
  ).toEqual([1, Number.NaN, 2, 4, Infinity, 3]);
  const points = Array.from({ length: 10_000 }, (_, x) => ({ x, y: x === 5000 || x < 100 ? Number.NaN : x % 7 }));
  const fewer = downsample(points).map(({ y }) => y);
  expect(fewer.filter(Number.isNaN).length).toBeGreaterThan(1);
  expect(Math.max(...fewer.filter((y) => !Number.isNaN(y)))).toBe(6);
});

test.each([
  ["a gap", [0.5, null, 0.7, 0.9], /accuracy[^<]*: [\d.]+ % at the end, 1 step without a value/u],
  ["the end", [0.5, 0.9, Number.NaN, null], /accuracy[^<]*: [\d.]+ % at step 2, 2 steps without a value/u],
  ["infinity", [Infinity, 0.5, -Infinity, 0.9], /accuracy[^<]*: [\d.]+ % at the end, 2 steps without a value/u],
  ["no gap", [0.5, 0.6, 0.7, 0.9], /accuracy[^<]*: [\d.]+ % at the end</u],
] as const)("a chart counts the steps of %s, draws a gap and keeps its axes", async (_, values, legend) => {
  const rows = values.map((value, i) => ({ step: i + 1, ...(value !== null && { "task/accuracy": value }) }));
  const [accuracy] = runCharts(rows, null);
  const figure = renderLineChart(await loadPlot(), accuracy as NonNullable<typeof accuracy>, "f");
  expect(figure).toMatch(legend);
  expect(figure).not.toMatch(/NaN|Infinity/u);
  expect(figure).toContain(">100 %<");
  expect(figure).toContain(`n = ${values.filter((value) => Number.isFinite(value)).length} steps`);
});

test("a metric that the last step lacks keeps its chart", () => {
  const rows = [{ step: 1, "measures/speed": 1 }, { step: 2 }];
  expect(
    runCharts(rows, null)
      .at(-1)
      ?.series.map(({ name, points }) => [name, points.length]),
  ).toEqual([["speed", 2]]);
});
