import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RunSummary } from "../src/protocol.ts";
import {
  meanSeries,
  metricsMatching,
  orderedMetrics,
  sampledRows,
  sectionsOf,
  smooth,
  type Series,
} from "../web/dashboard/curves/metrics.ts";
import { heatOf, heatScale, heatsOf } from "../web/dashboard/episodes/heat.ts";
import { spokenUpTo } from "../web/dashboard/episodes/spoken.ts";
import { changed, formatRoute, parseRoute } from "../web/dashboard/route.ts";
import { filterRuns, groupRuns, settingRows, sortRuns, taskKey } from "../web/dashboard/run/runs.ts";
import { cutText } from "../src/data/texts.ts";
import { visibleLine, visiblePieces } from "../web/parts/safe-text.ts";
import { lonePoints } from "../src/charts/drawing.ts";
import { episodeDetail, hostileTexts, summaryOf } from "./fixture/fake-data.ts";

const upTo = (rows: number, value: (row: number) => number | null): Series => ({
  steps: Array.from({ length: rows }, (_, row) => row),
  values: Array.from({ length: rows }, (_, row) => value(row)),
});

describe("text of models", () => {
  test("loses no character and hides no visible one", () => {
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

  test("names overrides, controls, zero widths and half characters", () => {
    const named = "a[U+202E]b[U+0007]c[U+200B]d[U+D800]e[U+E0041]f";
    expect(visibleLine("a\u202Eb\u0007c\u200Bd\uD800e\u{e0041}f")).toBe(named);
    expect(visiblePieces("tab\tand\nline")).toEqual([{ text: "tab\tand\nline" }]);
    for (const text of hostileTexts) expect(visibleLine(text)).not.toMatch(/\p{Bidi_Control}/u);
  });

  test("a text of marks alone stays small", () => {
    const pieces = visiblePieces("\u202E".repeat(100_000));
    expect(pieces).toHaveLength(2001);
    expect(pieces.at(-1)?.text).toBe("·".repeat(98_000));
  });

  test("cuts long texts between characters", () => {
    expect(cutText("ab😀cd", 3)).toEqual({ shown: "ab", rest: 4 });
    expect(cutText("ab😀cd", 4)).toEqual({ shown: "ab😀", rest: 2 });
    expect(visibleLine("x".repeat(1_000_000), 10)).toBe("xxxxxxxxxx…");
  });

  test("no page writes markup from text", () => {
    const web = join(import.meta.dirname, "../web");
    const files = readdirSync(web, { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/u.test(file));
    expect(files.length).toBeGreaterThan(40);
    const matches = files.filter((file) =>
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|createContextualFragment|DOMParser|\beval\(|new Function/u.test(
        readFileSync(join(web, file), "utf8"),
      ),
    );
    expect(matches).toEqual([]);
  });
});

describe("curves", () => {
  test("draws few rows unchanged, with one more on either side of the range", () => {
    const [few, many] = [5, 1000].map((rows) => upTo(rows, (row) => row)) as [Series, Series];
    expect(sampledRows(few, [0, 4], 100)).toEqual([0, 1, 2, 3, 4]);
    expect(sampledRows(many, [500.5, 502.5], 100)).toEqual([500, 501, 502, 503, 504]);
  });

  test("keeps lowest and highest of each part of many rows, and gaps", () => {
    const spiky = upTo(100_000, (row) => (row === 70_003 ? 50 : row === 70_004 ? -50 : Math.sin(row / 1000)));
    const rows = sampledRows(spiky, [0, 100_000], 800);
    expect(rows.length).toBeLessThanOrEqual(800);
    expect(rows).toEqual(rows.toSorted((a, b) => a - b));
    expect(rows.indexOf(70_004)).toBe(rows.indexOf(70_003) + 1);
    const half = upTo(1000, (row) => (row >= 500 ? null : row));
    const values = sampledRows(half, [0, 1000], 40).map((row) => half.values[row]);
    expect(values.slice(20).every((value) => value === null)).toBe(true);
  });

  test("a band shows mean, lowest and highest of seeds at common steps", () => {
    const runs = [
      { steps: [1, 2, 3], values: [1, null, 3] },
      { steps: [1, 3, 4], values: [3, null, 7] },
    ];
    expect(meanSeries(runs)).toEqual({
      steps: [1, 2, 3, 4],
      values: [2, null, 3, 7],
      low: [1, null, 3, 7],
      high: [3, null, 3, 7],
    });
  });

  test("smoothing divides by its weights and skips missing values", () => {
    const smoothed = smooth([1, null, 1, 3], 0.5);
    // Weights 1/8, 1/4, 1/2 on 1, 1, 3, which sum to 7/8.
    expect(smoothed).toEqual([1, null, 1, expect.closeTo((0.125 + 0.25 + 1.5) / 0.875, 6)]);
    const values = [1, 2];
    expect(smooth(values, 0)).toBe(values);
  });

  test("draws isolated values as points", () => {
    const lone = (values: readonly number[]): number[] =>
      lonePoints(values.map((value, i) => [i, value])).map(([i]) => i);
    expect(lone([1, Number.NaN, 2, 3, Number.NaN, 4])).toEqual([0, 5]);
    expect([lone([]), lone([Number.NaN]), lone([7])]).toEqual([[], [], [0]]);
  });

  test("lists important metrics first and searches meanings", () => {
    const info = (name: string, meaning: string | null = null) => ({ name, unit: "", meaning });
    const ordered = orderedMetrics([
      [info("step"), info("timing_s/sample"), info("z"), info("task/accuracy", "Mean grade")],
      [info("a"), info("z")],
    ]);
    expect(ordered.map(({ name }) => name)).toEqual(["task/accuracy", "a", "z", "timing_s/sample"]);
    expect(metricsMatching(ordered, "grade MEAN").map(({ name }) => name)).toEqual(["task/accuracy"]);
  });

  test("sections are the prefixes of several metrics; pinned and main metrics come first, the machine's last", () => {
    const names = ["task/accuracy", "a/x", "a/y", "b/x", "policy/p/z", "policy/p/y", "perf/tokens_per_s", "plain"];
    const metrics = orderedMetrics([names.map((name) => ({ name, unit: "", meaning: null }))]);
    const sections = sectionsOf(metrics, ["a/y", "gone"]);
    expect(sections.map((section) => [section.name, section.metrics.map(({ name }) => name)])).toEqual([
      ["Pinned", ["a/y"]],
      ["Main", ["task/accuracy"]],
      ["policy/p", ["policy/p/y", "policy/p/z"]],
      ["Other", ["a/x", "b/x", "plain"]],
      ["Machine", ["perf/tokens_per_s"]],
    ]);
  });
});

describe("runs", () => {
  const runs = Array.from({ length: 12 }, (_, run) => summaryOf(run, 100));

  test("filters by text, settings and states", () => {
    const ids = (text: string, states: readonly RunSummary["state"][] = []): string[] =>
      filterRuns(runs, text, states).map(({ id }) => id);
    expect(ids("")).toHaveLength(12);
    expect(ids("GSPO s3")).toEqual(["r2", "r7"]);
    expect(ids("", ["half-written"])).toEqual(["r7"]);
    expect(ids("train.budget.targetTokens=8 train.seed=2")).toEqual(["r11"]);
    expect(ids("no.such.key")).toEqual([]);
    expect(ids("targetTokens=6 seed>=2 seed<4 objective.name!=grpo")).toEqual(["r6", "r7"]);
  });

  test("sorts runs without a value last in both directions", () => {
    const foreign = summaryOf(13, 100);
    const some = [foreign, summaryOf(1, 100), summaryOf(6, 100)];
    const order = (descending: boolean): string[] => sortRuns(some, "tokens", descending).map(({ id }) => id);
    expect([order(false), order(true)]).toEqual([
      ["r1", "r6", "r13"],
      ["r6", "r1", "r13"],
    ]);
  });

  test("differences name settings of only one run", () => {
    expect(settingRows([{ settings: { a: 1, b: "x" } }, { settings: { a: 1, c: null } }])).toEqual([
      { key: "a", values: [1, 1], isSame: true },
      { key: "b", values: ["x", undefined], isSame: false },
      { key: "c", values: [undefined, null], isSame: false },
    ]);
  });

  test("seeds of equal settings are one line, named by its difference", () => {
    const groups = groupRuns(runs.slice(0, 10), "seeds");
    expect(groups.map(({ label, runs: runSummaries }) => [label, runSummaries.length])).toEqual([
      ["targetTokens 4 (5 seeds)", 5],
      ["targetTokens 6 (5 seeds)", 5],
    ]);
    const [again] = runs as [RunSummary];
    expect(groupRuns([again, { ...again, id: "again" }], "seeds")[0]?.label).toBe(`${again.name} (2 runs)`);
    expect(groupRuns(runs.slice(0, 10), "train.seed")).toHaveLength(5);
    expect(groupRuns(runs, "run").map(({ label }) => label)).toEqual(runs.map(({ name }) => name));
  });

  test("runs share a frontier only where all settings of their tasks are equal", () => {
    const key = (level: string, seed: number): string =>
      taskKey({ "task.name": "relay", "task.level": level, "train.seed": seed });
    expect(key("one-fact", 1)).toBe(key("one-fact", 2));
    expect(key("one-fact", 1)).not.toBe(key("two-facts", 1));
  });

  test("an address round-trips to its place", () => {
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
    const message = detail.turns[0]?.writtenTokens as number;
    const price = detail.prices["tokens"] as number;
    expect(spokenUpTo(detail, 0).edges.map(({ tokens }) => tokens)).toEqual([0]);
    const spoken = spokenUpTo(detail, 3);
    expect(spoken.answerer).toBe("solver");
    expect(spoken.edges).toEqual([
      {
        from: "holder-a",
        to: "solver",
        // Nobody reads its end token.
        tokens: message - 1,
        cost: expect.closeTo((message - 1) * price, 12),
      },
    ]);
    expect(spoken.total).toBeCloseTo(price * detail.turns.reduce((sum, turn) => sum + turn.writtenTokens, 0), 12);
    expect(spokenUpTo(detail, 1).total).toBeCloseTo(price * message, 12);
    expect(spoken.silence).toEqual({ "holder-a": 0, "holder-b": 1, solver: 0 });
  });

  test("colours tokens on one scale, two-sided for signed values", () => {
    const tokens = [
      { id: 1, text: "a", logProb: -2, advantage: 0.5, price: 0 },
      { id: 2, text: "b", logProb: -1, advantage: -0.25, price: 0 },
    ];
    expect(heatsOf(tokens)).toEqual(["none", "logProb", "advantage"]);
    const [odds, worth] = [heatScale(tokens, "logProb"), heatScale(tokens, "advantage")];
    expect([-2, -1, null].map((value) => heatOf(value, odds).style?.["--strength"])).toEqual(["45%", "27%", undefined]);
    expect([0.5, -0.25].map((value) => heatOf(value, worth).class)).toEqual(["heat more", "heat"]);
  });
});
