import { describe, expect, test } from "vitest";
import { apiReports } from "../scripts/lib/api-report.mjs";
import { publishedPackages, readText } from "./workspace.ts";

const reports = apiReports();

// `npm run api:report` writes docs/api.txt; a difference is a change of the public interface.
test("docs/api.txt has the signature of every export of a package's first entry", async () => {
  const lines = reports
    .filter(({ entry }) => /^(?:@laconic\/)?[\w-]+$/u.test(entry))
    .flatMap(({ entry, signatures }) => signatures.map((signature) => `${entry}: ${signature}\n`));
  await expect(lines.join("")).toMatchFileSnapshot("../docs/api.txt");
});

test("every export has a doc comment", () => {
  expect(reports.flatMap(({ undocumented }) => undocumented)).toEqual([]);
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
});

test("exports that the glossary names are exports", () => {
  const exports = new Map(reports.map(({ entry, names }) => [entry, new Set(names)]));
  const rows = readText("docs/glossary.md").matchAll(/\| ([^|]*) in `(@laconic\/[\w/-]+)` \|/gu);
  const missing = [...rows].flatMap(([, names = "", entry = ""]) =>
    [...names.matchAll(/`(\w+)[\w.]*`/gu)].flatMap(([, name = ""]) =>
      exports.get(entry)?.has(name) === true ? [] : [`${name} of ${entry}`],
    ),
  );
  expect(missing).toEqual([]);
});

test("a signature has no body, members or defaults", () => {
  const signatures = reports.flatMap((report) => report.signatures);
  expect(signatures).toContain("function isOutOfMemory(error: unknown): error is LaconicError");
  expect(signatures).toContain("interface Kernels");
  expect(signatures.join("\n")).not.toContain("#alive");
  expect(signatures.join("\n")).toContain("options?: DebateOptions");
});
