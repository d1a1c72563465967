import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiReports } from "../scripts/lib/api-report.mjs";
import { readText, root } from "./workspace.ts";

const reports = apiReports();

describe("what packages export", () => {
  const written = reports.flatMap(({ entry, file, text }) => (file === null ? [] : [{ entry, file, text }]));

  test.each(written)("$entry: its report is current (npm run api:report)", ({ file, text }) => {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(readText(file)).toBe(text);
  });

  test("no report is left of an entry that is gone", () => {
    const found = readdirSync(join(root, "docs/api-reports")).map((name) => `docs/api-reports/${name}`);
    expect(found.toSorted()).toEqual(written.map(({ file }) => file).toSorted());
  });

  test("every export says what it is", () => {
    expect(reports.flatMap(({ undocumented }) => undocumented)).toEqual([]);
  });
});

describe("a report", () => {
  const report = (entry: string) => reports.find((each) => each.entry === entry)?.text ?? "";

  test("has a line for each export: its kind and signature", () => {
    const lines = report("@laconic/kernels").split("\n");
    expect(lines).toContain("function isOutOfMemory(error: unknown): error is LaconicError");
    expect(lines).toContain("interface Kernels");
  });

  test("leaves out bodies, members and defaults", () => {
    expect(report("@laconic/kernels")).not.toContain("#alive");
    expect(report("@laconic/topologies")).toContain("options?: DebateOptions");
  });
});
