import { expect, test } from "vitest";
import { readText, repositoryFiles } from "./workspace.ts";

test("every promise of SECURITY.md names an existing test", () => {
  const rows = readText("SECURITY.md")
    .split(/\n(?=#)/u)
    .filter((section) => section.includes("| shown by |"))
    .flatMap((section) => section.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| ---")))
    .filter((line) => !/^\| (?:attempt|accident) \|/u.test(line));
  const pathsOf = (row: string): string[] =>
    [...(row.split(" | ").at(-1) ?? "").matchAll(/`([\w./-]+\.ts)`/gu)].map(([, path = ""]) => path);
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.filter((row) => pathsOf(row).length === 0)).toEqual([]);
  expect(rows.flatMap(pathsOf).filter((path) => !repositoryFiles().includes(path))).toEqual([]);
});
