import { expect, test } from "vitest";
import { readText, repositoryFiles } from "./workspace.ts";

/** Rows of the tables whose last column says what shows them. */
const rows = readText("SECURITY.md")
  .split(/\n(?=#)/u)
  .filter((section) => section.includes("| shown by |"))
  .flatMap((section) => section.split("\n").filter((line) => line.startsWith("|")))
  .filter((line) => !/^\| (?:attempt|accident) \||^\| ---/u.test(line));

/** What is wrong with where a promise says that it is shown. */
function faultsOf(row: string): string[] {
  const cell = row.split(" | ").at(-1)?.replace(/ \|$/u, "") ?? "";
  return cell.split(/; (?=`)/u).flatMap((shown) => {
    const [, path, name] = /^`([\w./-]+\.ts)`: (.{10,})$/u.exec(shown) ?? [];
    if (path === undefined || name === undefined) return [`${shown}: no file with a test's name`];
    if (!repositoryFiles().includes(path)) return [`${path} is not there`];
    return readText(path).includes(name) ? [] : [`${path} has no test "${name}"`];
  });
}

test("every promise of SECURITY.md names a test that is there", () => {
  expect(rows.length).toBeGreaterThan(35);
  expect(rows.flatMap(faultsOf)).toEqual([]);
});

test.each([
  ["| a | b | `test/none.test.ts`: something to see |", "test/none.test.ts is not there"],
  ["| a | b | `test/security.test.ts` |", "`test/security.test.ts`: no file with a test's name"],
  [`| a | b | \`test/security.test.ts\`: ${"x".repeat(12)} |`, `test/security.test.ts has no test "${"x".repeat(12)}"`],
])("a promise without its test is told: %s", (row, fault) => {
  expect(faultsOf(row)).toEqual([fault]);
});
