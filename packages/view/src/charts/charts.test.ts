import { expect, test } from "vitest";
import { linePath, logTicks, scaleOf, tickFormat, ticksOf, fitTo, linesOf, textWidth } from "./drawing.ts";
import { boxAround, placeLabels, planeFile, type PlaneChart } from "./plane.ts";

test("ticks are round, within the range, and have the same decimals", () => {
  expect(ticksOf(0.13, 0.91, 5)).toEqual([0.2, 0.4, 0.6, 0.8]);
  expect(ticksOf(0, 0.3, 3)).toEqual([0, 0.1, 0.2, 0.3]);
  expect(ticksOf(5, 5, 3)).toEqual([5]);
  expect([0.85, 1].map(tickFormat([0.85, 0.9, 0.95, 1], "share"))).toEqual(["85 %", "100 %"]);
  expect([0, 0.005, 0.02].map(tickFormat([0, 0.005, 0.01], ""))).toEqual(["0", "0.005", "0.020"]);
  expect([-1.5, 0].map(tickFormat([-1.5, -1, -0.5, 0], ""))).toEqual(["−1.5", "0"]);
  expect([1e-9].map(tickFormat([0, 1e-9], ""))).toEqual(["1×10⁻⁹"]);
  expect(logTicks(251, 3620, 4)).toEqual([500, 1000, 2000]);
  expect(logTicks(2, 90_000, 5)).toEqual([10, 100, 1000, 10_000]);
});

test.each([false, true])("a scale inverts itself, logarithmic: %s", (isLog) => {
  const scale = scaleOf({ domain: [2, 200], range: [10, 110], maxTicks: 5, isLog });
  for (const value of [2, 20, 77, 200]) expect(scale.value(scale.position(value))).toBeCloseTo(value, 9);
  expect([scale.position(2), scale.position(200)]).toEqual([10, 110]);
  expect(scaleOf({ domain: [1, 10], range: [0, 9], maxTicks: 5, isLog: true }).position(-3)).toBe(0);
});

test("a value without a position interrupts a line", () => {
  const gap = [2, Number.NaN] as const;
  expect(linePath([[0, 0], [1, 1], gap, [3, 3], [4, 4]])).toBe("M0 0L1 1M3 3L4 4");
});

test("labels overlap neither each other nor drawings, and remain within the edge", () => {
  const bounds = { left: 0, top: 0, right: 200, bottom: 200 };
  const points = [20, 24, 28, 32, 36, 195].map((x) => ({ x, y: 100, width: 30, height: 12 }));
  const dots = points.map(({ x, y }) => boxAround(x, y, 8, 8));
  const placed = placeLabels(points, dots, bounds);
  const boxes = placed.map((location) => boxAround(location?.x ?? Number.NaN, location?.y ?? Number.NaN, 30, 12));
  for (const [i, box] of boxes.entries()) {
    expect(box.left >= 0 && box.right <= 200 && box.top >= 0 && box.bottom <= 200).toBe(true);
    for (const other of [...dots, ...boxes.slice(i + 1)])
      expect(box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom).toBe(
        false,
      );
  }
  expect(placed.some((location) => location?.leader)).toBe(true);
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

test("names in a picture file are text: no markup and no direction of writing", () => {
  const hostile = `<script>x</script>"&\u202E\u0000`;
  const chart: PlaneChart = {
    title: hostile,
    n: hostile,
    points: [{ tokens: 10, accuracy: 0.5, color: 1, label: hostile, name: hostile }],
    lines: [],
    budget: 12,
    legend: [{ color: 1, text: hostile }],
  };
  const svg = planeFile(chart, "wide");
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/u);
  expect(svg).not.toMatch(/<script|\u202E|\u0000|NaN/u);
  expect(svg).toContain("&lt;script&gt;");
});
