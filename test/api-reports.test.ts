import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiReports } from "../scripts/lib/api-report.mjs";
import { readText, root } from "./workspace.ts";

const reports = apiReports();

describe("what packages export", () => {
  test.each(reports)("$entry: its report is current (npm run api:report)", ({ file, text }) => {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(readText(file)).toBe(text);
  });

  test("no report is left of an entry that is gone", () => {
    const written = readdirSync(join(root, "docs/api-reports")).map((name) => `docs/api-reports/${name}`);
    expect(written.toSorted()).toEqual(reports.map(({ file }) => file).toSorted());
  });

  test("every export says what it is", () => {
    expect(reports.flatMap(({ undocumented }) => undocumented)).toEqual([]);
  });
});

describe("a report", () => {
  const report = (entry: string) => reports.find((each) => each.entry === entry)?.text ?? "";

  test("names kind, first sentence and signature of an export", () => {
    expect(report("@laconic/kernels")).toContain(
      [
        "## isOutOfMemory",
        "",
        "function. The error says that the device's memory is full.",
        "",
        "```ts",
        "function isOutOfMemory(error: unknown): error is LaconicError",
        "```",
      ].join("\n"),
    );
  });

  test("leaves out bodies, defaults and what is private", () => {
    expect(report("@laconic/kernels")).toContain("  get count(): number;");
    expect(report("@laconic/kernels")).not.toContain("#alive");
    expect(report("@laconic/topologies")).toContain("options?: DebateOptions");
  });
});
