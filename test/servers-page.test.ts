import { expect, test } from "vitest";
import type { MethodCheck } from "../bench/src/servers/check-method.ts";
import { serversTable } from "../bench/src/servers/servers-table.ts";
import { readText } from "./workspace.ts";

const checks = readText("docs/results/servers.jsonl")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as MethodCheck);

test("each cell's ledger is the server's, its plan holds, and its requests say nothing that its golden log does not", () => {
  expect(checks.filter(({ equal, within, errors }) => !equal || !within || errors > 0)).toEqual([]);
  expect(checks.filter(({ strange }) => strange.length > 0)).toEqual([]);
  const cells = checks.map(({ server, method, benchmark, setting }) => [server, method, benchmark, setting].join(" "));
  expect(new Set(cells).size).toBe(cells.length);
});

test("the page has the table of its rows", () => {
  expect(readText("docs/results/servers.md")).toContain(serversTable(checks));
});
