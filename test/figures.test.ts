import { describe, expect, test } from "vitest";
import { everyFigure, readFigureList, renderFigure } from "../scripts/lib/figures.mjs";
import { readText } from "./workspace.ts";

const list = readFigureList();
const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ");

describe("figures have sources", () => {
  // What a raw file says now: measure again, or put right the page. `npm run -s figures -- --all` lists every number.
  test.each(list.sources.map((source) => [source.page, source.text, source] as const))("%s: %s", (page, _, source) => {
    const text = oneLine(renderFigure(source));
    expect(oneLine(readText(page)).includes(text), `${page} does not say: ${text}`).toBe(true);
  });

  // A new figure in a table gets an entry of `sources` in docs/figures.json; a number that nobody measured, of `constants`, with the
  // reason. The counts of `unsourced` are of tables that were there before the list: they only fall.
  test("no number in a table is new and without source", () => {
    const counts: Record<string, number> = {};
    for (const { page, table, why } of everyFigure(list))
      if (table && why === null) counts[page] = (counts[page] ?? 0) + 1;
    expect(counts).toEqual(list.unsourced);
  });

  test("every constant has a reason, and a table that is there", () => {
    for (const { page, header, reason } of list.constants) {
      expect(reason.length, page).toBeGreaterThan(10);
      expect(readText(page).split("\n"), page).toContain(header ?? readText(page).split("\n")[0]);
    }
  });
});

describe("a figure is computed from its rows", () => {
  const source = (show: string, row: Readonly<Record<string, unknown>> = { variant: "/^quick/" }) => ({
    page: "README.md",
    text: "a {} b",
    file: "docs/benchmarks/quickstart-seeds.json",
    rows: [row],
    show: [show],
  });

  test("of three seeds 0.975, 0.9675 and 0.9775", () => {
    expect(renderFigure(source("list after.accuracy * 100 2"))).toBe("a 97.50, 96.75, 97.75: 97.33 b");
    expect(renderFigure(source("sd after.accuracy * 100 2"))).toBe("a 0.52 b");
    expect(renderFigure(source("last after.accuracy|after.accuracy 4"))).toBe("a 0.9775 b");
    expect(renderFigure(source("mean after.accuracy / after.accuracy 1"))).toBe("a 1.0 b");
  });

  test("a row, a field or a way to show that is not there is refused", () => {
    expect(() => renderFigure(source("mean after.accuracy 1", { seed: 9 }))).toThrow("selects no row");
    expect(() => renderFigure(source("mean after.nothing 1"))).toThrow("has no number at after.nothing");
    expect(() => renderFigure(source("median after.accuracy 1"))).toThrow("is not");
    expect(() => renderFigure({ ...source("mean seed 0"), text: "a {} {}" })).toThrow("2 places for 1 figures");
  });
});
