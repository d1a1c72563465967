import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunSummary } from "../src/protocol.ts";
import { decodeColumns } from "../src/columns-block.ts";
import { columnStore } from "../web/dashboard/curves/column-store.ts";
import { bandPoints, linePoints } from "../web/dashboard/curves/downsample.ts";
import { draw } from "../web/dashboard/curves/drawing.ts";
import { metricsMatching, orderedMetrics } from "../web/dashboard/curves/metric-order.ts";
import { plotData } from "../web/dashboard/curves/plot-data.ts";
import { formatRange, panned, parseRange, within, zoomed } from "../web/dashboard/curves/range.ts";
import { slotsOf, stepsOfSlots, type Column } from "../web/dashboard/curves/slots.ts";
import { smooth } from "../web/dashboard/curves/drawing.ts";
import { heatClass, heatScale, heatsOf } from "../web/dashboard/episodes/heat.ts";
import { spokenUpTo } from "../web/dashboard/episodes/spoken.ts";
import { frontierOf, taskKey } from "../web/dashboard/plane/frontier.ts";
import { changed, formatRoute, parseRoute } from "../web/dashboard/route.ts";
import { settingRows } from "../web/dashboard/run/differences.ts";
import { filterRuns, sortRuns, variedSettings } from "../web/dashboard/run/filter.ts";
import { groupRuns } from "../web/dashboard/run/groups.ts";
import { cutText, visibleLine, visiblePieces } from "../web/parts/safe-text.ts";
import { lonePoints } from "../web/parts/lone-point.ts";
import { ticksOf } from "../web/parts/ticks.ts";
import { episodeDetail, hostileTexts, summaryOf } from "./fixture/fake-data.ts";
import { ago } from "../web/parts/ago.ts";

const column = (steps: readonly number[], values: readonly number[]): Column => ({
  steps: Float64Array.from(steps),
  values: Float32Array.from(values),
});
const upTo = (rows: number, value: (row: number) => number): Column => ({
  steps: Float64Array.from({ length: rows }, (_, row) => row),
  values: Float32Array.from({ length: rows }, (_, row) => value(row)),
});

describe("text of models", () => {
  test("nothing of it is lost, and nothing that is shown plainly is hidden", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.nat(0xff), fc.integer({ min: 0x2000, max: 0x2070 }), fc.nat(0xffff))),
        (units) => {
          const text = String.fromCharCode(...units);
          const pieces = visiblePieces(text);
          expect(pieces.map((piece) => piece.text).join("")).toBe(text);
          const plain = pieces.flatMap((piece) => (piece.mark === undefined ? [piece.text] : [])).join("x");
          expect(/[\p{Bidi_Control}\p{Cs}\u0000-\u0008\u000b-\u001f\u007f-\u009f]/u.test(plain)).toBe(false);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("overrides, controls, zero widths and half characters are named", () => {
    expect(visibleLine("a\u202Eb\u0007c\u200Bd\uD800e\u{e0041}f")).toBe("a[RLO]b[BEL]c[ZWSP]d[U+D800]e[U+E0041]f");
    expect(visiblePieces("tab\tand\nline")).toEqual([{ text: "tab\tand\nline" }]);
    for (const text of hostileTexts) expect(visibleLine(text)).not.toMatch(/\p{Bidi_Control}/u);
  });

  test("a text of marks alone stays small", () => {
    const pieces = visiblePieces("\u202E".repeat(100_000));
    expect(pieces).toHaveLength(2001);
    expect(pieces.at(-1)?.text).toBe("·".repeat(98_000));
  });

  test("long ones are cut between characters", () => {
    expect(cutText("ab😀cd", 3)).toEqual({ shown: "ab", rest: 4 });
    expect(cutText("ab😀cd", 4)).toEqual({ shown: "ab😀", rest: 2 });
    expect(visibleLine("x".repeat(1_000_000), 10)).toBe("xxxxxxxxxx…");
  });

  test("no page writes markup from text", () => {
    const web = join(import.meta.dirname, "../web");
    const files = readdirSync(web, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/u.test(file));
    expect(files.length).toBeGreaterThan(40);
    const found = files.filter((file) =>
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|createContextualFragment|DOMParser|\beval\(|new Function/u.test(
        readFileSync(join(web, file), "utf8"),
      ),
    );
    expect(found).toEqual([]);
  });
});

describe("curves", () => {
  test("few steps are drawn as they are", () => {
    const [a, b] = [column([0, 2, 4], [1, 2, 3]), column([0, 3, 4], [5, NaN, 6])];
    const slots = slotsOf([a, b], 0, 4, 100);
    expect([...stepsOfSlots(slots)]).toEqual([0, 2, 3, 4]);
    expect([...linePoints(a, slots, [0, 4])]).toEqual([1, 2, NaN, 3]);
    expect([...linePoints(b, slots, [0, 4])]).toEqual([5, NaN, NaN, 6]);
  });

  test("of many, lowest and highest of each part remain in their order", () => {
    const rows = 100_000;
    const spiky = upTo(rows, (row) => (row === 70_003 ? 50 : row === 70_004 ? -50 : Math.sin(row / 1000)));
    const slots = slotsOf([spiky], 0, rows, 800);
    const points = linePoints(spiky, slots, [0, rows]);
    expect(points).toHaveLength(800);
    expect(Math.max(...points)).toBe(50);
    expect(points.indexOf(-50)).toBe(points.indexOf(50) + 1);
    const steps = stepsOfSlots(slots);
    expect(steps.every((step, i) => i === 0 || step > (steps[i - 1] as number))).toBe(true);
  });

  test("a part of the range shows rows beyond both borders, so that lines run to them", () => {
    const line = upTo(1000, (row) => row);
    const slots = slotsOf([line], 500.5, 502.5, 100);
    expect([...stepsOfSlots(slots)]).toEqual([500, 501, 502, 503, 504]);
  });

  test("a band is the mean of seeds from the lowest to the highest, however many rows a seed has", () => {
    const seeds = [upTo(4000, () => 1), upTo(8000, () => 2).values].map((each) =>
      "steps" in each ? each : { steps: Float64Array.from(each, (_, row) => row / 2), values: each },
    );
    const slots = slotsOf(seeds, 0, 4000, 200);
    const { mean, low, high } = bandPoints(seeds, slots, [0, 4000]);
    expect([mean[100], low[100], high[100]]).toEqual([1.5, 1, 2]);
    expect(mean).toHaveLength(200);
  });

  test("smoothing divides by its weights and passes over what is missing", () => {
    const smoothed = smooth(Float32Array.of(1, NaN, 1, 3), 0.5, new Float32Array(4));
    expect(smoothed[0]).toBe(1);
    expect(smoothed[1]).toBeNaN();
    expect(smoothed[2]).toBe(1);
    // Weights 1/8, 1/4, 1/2 on 1, 1, 3, which sum to 7/8.
    expect(smoothed[3]).toBeCloseTo((0.125 + 0.25 + 1.5) / 0.875, 6);
    const values = Float32Array.of(1, 2);
    expect(smooth(values, 0, values)).toBe(values);
  });

  test("a row without a finite value is a gap, counted, in lines, bands and parts; a step without a row is none", () => {
    const runs: Record<string, Column> = {
      a: column([1, 2, 3, 4, 5], [1, NaN, 3, Infinity, 5]),
      b: column([1, 3, 4, 5], [3, NaN, -Infinity, 7]),
    };
    const shown = (names: readonly (readonly string[])[], points = 100, smoothing = 0) => {
      const groups = names.map((each) => ({ key: each.join(""), runs: each }));
      return draw({ metric: "m", groups, points, smoothing, range: null }, (run) => runs[run] ?? null);
    };
    const lines = shown([["a"], ["b"]]);
    expect(lines.series.map(({ gaps }) => [...gaps])).toEqual([
      [1, 3],
      [2, 3],
    ]);
    expect([lines.values, lines.gaps]).toEqual([5, 4]);
    const styles = [{ hasBand: false }, { hasBand: false }];
    expect(plotData(lines, styles, false).slice(1)).toEqual([
      [1, null, 3, null, 5],
      [3, undefined, null, null, 7],
    ]);
    expect(plotData(lines, styles, true)[2]).toEqual([3, undefined, null, null, 7]);
    const [, mean, low] = plotData(shown([["a", "b"]]), [{ hasBand: true }], false);
    expect([mean, low]).toEqual([
      [2, null, 3, null, 6],
      [1, null, 3, null, 5],
    ]);
    expect([...(shown([["a"]], 100, 0.5).series[0]?.mean ?? [])].map(Number.isFinite)).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
    runs["long"] = upTo(1000, (row) => (row >= 500 ? NaN : row));
    const parts = shown([["long"]], 40);
    const interrupted = Array.from(plotData(parts, styles, false)[1] ?? [], (value) => value === null);
    expect(interrupted).toEqual(Array.from({ length: 40 }, (_, i) => i >= 20));
    expect(parts.gaps).toBe(500);
  });

  test("values between gaps, to which no line leads, are drawn as points", () => {
    const lone = (values: readonly (number | null | undefined)[]): number[] =>
      lonePoints({ data: [[], values] } as unknown as Parameters<typeof lonePoints>[0], 1);
    expect(lone([1, null, 2, 3, null, 4])).toEqual([0, 5]);
    expect(lone([1, undefined, 2, null, undefined, 4, undefined])).toEqual([5]);
    expect([lone([]), lone([null]), lone([7])]).toEqual([[], [], [0]]);
  });

  test("what is seen of smoothed rows does not depend on the zoom", () => {
    const noisy = upTo(5000, (row) => Math.sin(row) + row / 1000);
    const spec = { metric: "m", groups: [{ key: "a", runs: ["a"] }], points: 10_000, smoothing: 0.9 };
    const all = draw({ ...spec, range: null }, () => noisy);
    const part = draw({ ...spec, range: [4000, 4100] }, () => noisy);
    const at = [...part.steps].indexOf(4050);
    expect(part.series[0]?.mean[at]).toBe(all.series[0]?.mean[4050]);
    expect(all.extent).toEqual([0, 4999]);
    expect([all.values, draw({ ...spec, range: null }, () => column([1, 2, 3], [1, NaN, 2])).values]).toEqual([
      5000, 2,
    ]);
    expect(draw({ ...spec, range: null }, () => null)).toMatchObject({ extent: null, values: 0 });
  });

  test("the body of columns is read, appended to, and refused when it is cut", () => {
    const body = (from: number, steps: readonly number[], values: readonly number[]): ArrayBuffer => {
      const header = new TextEncoder().encode(JSON.stringify({ names: ["step", "m"], from, rows: steps.length }));
      const start = Math.ceil((4 + header.length) / 8) * 8;
      const buffer = new ArrayBuffer(start + 16 * steps.length);
      new DataView(buffer).setUint32(0, header.length, true);
      new Uint8Array(buffer).set(header, 4);
      new Float64Array(buffer, start).set([...steps, ...values]);
      return buffer;
    };
    const store = columnStore(1000);
    store.append("r", "m", decodeColumns(body(0, [1, 2], [10, NaN])));
    store.append("r", "m", decodeColumns(body(2, [3], [30])));
    expect(store.column("r", "m")).toEqual(column([1, 2, 3], [10, NaN, 30]));
    expect(() => store.append("r", "m", decodeColumns(body(7, [3], [30])))).toThrow("do not continue 3");
    expect(() => decodeColumns(body(0, [1, 2], [10, 20]).slice(0, -1))).toThrow("before their last row");
    expect(() => decodeColumns(new ArrayBuffer(2))).toThrow("before their header");
  });

  test("what was not drawn for longest leaves when there is no room", () => {
    const store = columnStore(600);
    const block = (name: string) => ({
      from: 0,
      every: 1,
      columns: new Map([
        ["step", new Float64Array(50)],
        [name, new Float64Array(50)],
      ]),
    });
    store.append("r", "a", block("a"));
    store.append("r", "b", block("b"));
    store.column("r", "a");
    store.append("r", "c", block("c"));
    expect([store.rowsOf("r", "a"), store.rowsOf("r", "b"), store.rowsOf("r", "c")]).toEqual([0, 0, 50]);
  });

  test("ranges stay within all steps", () => {
    expect(zoomed([0, 100], 0.5, 50, [0, 100])).toEqual([25, 75]);
    expect(zoomed([25, 75], 4, 50, [0, 100])).toBeNull();
    expect(panned([25, 75], 1, [0, 100])).toEqual([50, 100]);
    expect(panned([25, 75], -1, [0, 100])).toEqual([0, 50]);
    expect([within([-1e300, 1e300], [1, 40]), within([1e5, 1e6], [1, 40]), within([-5, 0], [1, 40])]).toEqual([
      null,
      null,
      null,
    ]);
    expect(within([20, 1e6], [1, 40])).toEqual([20, 40]);
    expect(parseRange(formatRange([1, 2.5]))).toEqual([1, 2.5]);
    expect(["", "5,1", "a,b", "1"].map(parseRange)).toEqual([null, null, null, null]);
  });

  test("what matters comes first, and search looks into meanings", () => {
    const info = (name: string, meaning: string | null = null) => ({ name, unit: "", meaning });
    const ordered = orderedMetrics([
      [info("step"), info("timing_s/sample"), info("z"), info("task/accuracy", "Mean grade")],
      [info("a"), info("z")],
    ]);
    expect(ordered.map(({ name }) => name)).toEqual(["task/accuracy", "a", "z", "timing_s/sample"]);
    expect(metricsMatching(ordered, "grade MEAN").map(({ name }) => name)).toEqual(["task/accuracy"]);
  });
});

describe("runs", () => {
  const runs = Array.from({ length: 12 }, (_, run) => summaryOf(run, 100));

  test("filters are words, states and settings, all at once", () => {
    const none = { text: "", states: [], where: [] };
    expect(filterRuns(runs, none)).toHaveLength(12);
    expect(filterRuns(runs, { ...none, text: "GSPO s3" }).map(({ id }) => id)).toEqual(["r2", "r7"]);
    expect(filterRuns(runs, { ...none, states: ["half-written"] }).map(({ id }) => id)).toEqual(["r7"]);
    const where = ["train.budget.targetTokens=8", "train.seed = 2"];
    expect(filterRuns(runs, { ...none, where }).map(({ id }) => id)).toEqual(["r11"]);
    expect(filterRuns(runs, { ...none, where: ["no.such.key"] })).toEqual([]);
    expect([...variedSettings(runs).keys()]).toEqual(["train.budget.targetTokens", "train.seed"]);
  });

  test("runs without a value come last both ways", () => {
    const foreign = summaryOf(13, 100);
    const some = [foreign, summaryOf(1, 100), summaryOf(6, 100)];
    const order = (descending: boolean): string[] => sortRuns(some, "tokens", descending).map(({ id }) => id);
    expect([order(false), order(true)]).toEqual([
      ["r1", "r6", "r13"],
      ["r6", "r1", "r13"],
    ]);
  });

  test("differences name what one run has and another has not", () => {
    expect(settingRows([{ settings: { a: 1, b: "x" } }, { settings: { a: 1, c: null } }])).toEqual([
      { key: "a", values: [1, 1], isSame: true },
      { key: "b", values: ["x", undefined], isSame: false },
      { key: "c", values: [undefined, null], isSame: false },
    ]);
  });

  test("seeds of the same settings are one line, called by what sets it apart", () => {
    const groups = groupRuns(runs.slice(0, 10), "seeds");
    expect(groups.map(({ label, runs: own }) => [label, own.length])).toEqual([
      ["targetTokens 4 (5 seeds)", 5],
      ["targetTokens 6 (5 seeds)", 5],
    ]);
    const [again] = runs as [RunSummary];
    expect(groupRuns([again, { ...again, id: "again" }], "seeds")[0]?.label).toBe(`${again.name} (2 runs)`);
    expect(groupRuns(runs.slice(0, 10), "train.seed")).toHaveLength(5);
    expect(groupRuns(runs, "run").map(({ label }) => label)).toEqual(runs.map(({ name }) => name));
  });

  test("the frontier has what nobody beats in both", () => {
    const points = [
      [10, 0.5],
      [20, 0.5],
      [20, 0.7],
      [5, 0.2],
      [30, 0.6],
      [NaN, 1],
    ].map(([tokens, accuracy]) => ({ tokens: tokens as number, accuracy: accuracy as number }));
    expect(frontierOf(points).map(({ tokens }) => tokens)).toEqual([5, 10, 20]);
  });

  test("runs share a frontier only where all settings of their tasks are equal", () => {
    const key = (level: string, seed: number): string =>
      taskKey({ "task.name": "relay", "task.level": level, "train.seed": seed });
    expect(key("one-fact", 1)).toBe(key("one-fact", 2));
    expect(key("one-fact", 1)).not.toBe(key("two-facts", 1));
  });

  test("an address and its place are the same", () => {
    const route = { path: ["run", "a/b %", "episodes"], query: { text: ["é & =?#"], sel: ["a", "b"] } };
    expect(parseRoute(formatRoute(route))).toEqual(route);
    expect(parseRoute("")).toEqual({ path: ["runs"], query: {} });
    expect(parseRoute("#/run/%E0%A4%A")).toEqual({ path: ["run", "%E0%A4%A"], query: {} });
    const { query } = parseRoute("#/?constructor=a&__proto__=b&toString=c");
    expect(Object.entries(query)).toEqual([
      ["constructor", ["a"]],
      ["__proto__", ["b"]],
      ["toString", ["c"]],
    ]);
    expect(changed(route, { text: "", sel: ["c"] }).query).toEqual({ sel: ["c"] });
  });
});

describe("conversations", () => {
  const detail = episodeDetail(2830, { runs: 1, rows: 2000, episodes: 3000 });

  test("the graph grows with the turns", () => {
    const said = detail.turns[0]?.writtenTokens as number;
    const price = detail.prices["tokens"] as number;
    expect(spokenUpTo(detail, 0).edges.map(({ tokens }) => tokens)).toEqual([0]);
    const spoken = spokenUpTo(detail, 3);
    expect(spoken.answerer).toBe("solver");
    expect(spoken.edges).toEqual([
      {
        from: "holder-a",
        to: "solver",
        // Nobody reads its end token.
        tokens: said - 1,
        cost: expect.closeTo((said - 1) * price, 12),
      },
    ]);
    expect(spoken.total).toBeCloseTo(price * detail.turns.reduce((sum, turn) => sum + turn.writtenTokens, 0), 12);
    expect(spokenUpTo(detail, 1).total).toBeCloseTo(price * said, 12);
    expect(spoken.silence).toEqual({ "holder-a": 0, "holder-b": 1, solver: 0 });
  });

  test("tokens are coloured on one scale with two sides where there are two", () => {
    const tokens = [
      { id: 1, text: "a", logProb: -2, advantage: 0.5, price: 0 },
      { id: 2, text: "b", logProb: -1, advantage: -0.25, price: 0 },
    ];
    expect(heatsOf(tokens)).toEqual(["none", "logProb", "advantage"]);
    const [odds, worth] = [heatScale(tokens, "logProb"), heatScale(tokens, "advantage")];
    expect([heatClass(-2, odds), heatClass(-1, odds), heatClass(null, odds)]).toEqual(["heat5", "heat3", ""]);
    expect([heatClass(0.5, worth), heatClass(-0.25, worth)]).toEqual(["heat5 more", "heat3 less"]);
  });
});

describe("axes", () => {
  test("ticks are round and within", () => {
    expect(ticksOf(0.13, 0.91, 5)).toEqual([0.2, 0.4, 0.6, 0.8]);
    expect(ticksOf(0, 0.3, 3)).toEqual([0, 0.1, 0.2, 0.3]);
    expect(ticksOf(5, 5, 3)).toEqual([5]);
  });
});

test("what was written says how long ago", () => {
  const times = [20_000, 300_000, 7_300_000, 260_000_000];
  expect(times.map((time) => ago(time))).toEqual(["just now", "5 m ago", "2 h ago", "3 d ago"]);
});
