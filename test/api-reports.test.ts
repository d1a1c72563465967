import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiReports } from "../scripts/lib/api-report.mjs";
import { publishedPackages, readText, root } from "./workspace.ts";

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

describe("what a README lists as exports", () => {
  const namesOf = (entry: string): Set<string> =>
    new Set(reports.filter((each) => `${each.entry}/`.startsWith(`${entry}/`)).flatMap(({ names }) => names));
  const listed = publishedPackages.flatMap(({ folder, manifest: { name } }) => {
    const [, exports] = readText(`${folder}/README.md`).split(/^## Exports\n|^Exports: /mu);
    return exports === undefined ? [] : [{ name, lines: exports.split("\n") }];
  });

  test.each(listed)("is exported by $name, or by the package that its line names", ({ name, lines }) => {
    const own = namesOf(name);
    const strays = lines.flatMap((line) => {
      const others = [...line.matchAll(/`(@laconic\/[\w/-]+)`/gu)].map((match) => namesOf(match[1] as string));
      const words = [...line.matchAll(/`([A-Za-z]\w*)`/gu)].map((match) => match[1] as string);
      return words.filter((word) => !own.has(word) && !others.some((names) => names.has(word)));
    });
    expect(strays).toEqual([]);
  });

  test("stands in most READMEs", () => {
    expect(listed.length).toBeGreaterThan(15);
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
