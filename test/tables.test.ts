import { expect, test } from "vitest";
import { withTables } from "../scripts/lib/tables.mjs";
import { readText, repositoryFiles } from "./workspace.ts";

const pages = repositoryFiles().filter((path) => path.endsWith(".md") && /^<!-- rows: /mu.test(readText(path)));

// `node scripts/tables.mjs` writes them.
test.each(pages)("%s has the tables of its rows", (page) => {
  const text = readText(page);
  expect(withTables(text)).toBe(text);
  expect(text.match(/^<!-- \/rows -->$/gmu)?.length).toBe(text.match(/^<!-- rows: /gmu)?.length);
});

const tableOf = (row: string, settings = ""): string =>
  withTables(
    `<!-- rows: docs/benchmarks/quickstart-seeds.json\n${settings}row: ${row}\n-->\n| a |\n| --- |\n<!-- /rows -->`,
  );

test("numbers are computed from three seeds of accuracy 0.975, 0.9675 and 0.9775", () => {
  const row = "| {list after.accuracy * 100 2} | {last after.accuracy 4} | {mean after.accuracy / after.accuracy 1} |";
  expect(tableOf(row)).toContain("| 97.50, 96.75, 97.75: 97.33 | 0.9775 | 1.0 |\n");
  expect(tableOf("| {seed} | {spread after.accuracy 2} |", "where: seed = 1\nby: seed\n")).toContain("| 1 | 0.97 |\n");
});

test("rejects a missing row, a missing field and an unknown format", () => {
  expect(() => tableOf("| {mean after.accuracy 1} |", "where: seed = 9\n")).toThrow("no row where");
  expect(() => tableOf("| {mean after.nothing 1} |")).toThrow("no number at after.nothing");
  expect(() => tableOf("| {median after.accuracy 1} |")).toThrow("no field median");
  expect(() => tableOf("| {seed} |", "sort: seed\n")).toThrow("expected where, by and row");
});
