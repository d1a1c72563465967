import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "../scripts/lib/names.mjs";
import { publishedPackages, readText, repositoryFiles, root } from "./workspace.ts";

const textFile = /\.(ts|mts|mjs|js|json|jsonc|md|yaml|yml|py|txt|css|html|svg)$|^[^.]*$|\/(run|LICENSE)$/;
const files = repositoryFiles().filter((path) => textFile.test(path) && path !== "pnpm-lock.yaml");

/** Files that may be longer than 400 lines, each with its reason. */
const longFiles: Readonly<Record<string, string>> = {
  "packages/sandbox/test/hostile/escapes.py": "a table with a section per program",
  "packages/sandbox/test/hostile/forged-grades.py": "a table with a section per program",
  "packages/hub/test/template-grammar.ts": "a grammar with a rule per construct",
  "packages/kernels-torch/src/native/torch.ts": "one class over one table of native handles",
};

describe.each(publishedPackages)("$manifest.name", ({ folder, manifest }) => {
  test("its package.json has the fields that npm shows and needs", () => {
    expect(manifest.description).toMatch(/^[A-Z].{20,}\.$/);
    expect(manifest.license).toBe("MIT");
    expect(manifest.repository?.directory).toBe(folder);
    expect(manifest.engines?.node).toBe(">=20.19");
    expect(manifest.publishConfig?.access).toBe("public");
    expect(manifest.scripts).toHaveProperty("build");
    expect(manifest.scripts?.["test"]).toBe(`vitest run --root ../.. ${folder}/`);
    expect(manifest.scripts).toHaveProperty(["check:package"]);
    expect(manifest.homepage).toBe(`${repository}/tree/main/${folder}#readme`);
    expect(manifest.bugs).toBe(`${repository}/issues`);
    expect(manifest.files).toContain("CHANGELOG.md");
    expect(manifest.keywords?.length).toBeGreaterThanOrEqual(6);
    expect(manifest.keywords).toEqual([...new Set(manifest.keywords)].toSorted());
  });

  test("its published entries and their sources exist", () => {
    const entries = Object.entries(manifest.exports ?? {}).filter(([entry]) => entry !== "./package.json");
    const published = Object.keys(manifest.publishConfig?.exports ?? {}).filter((entry) => entry !== "./package.json");
    expect(published.toSorted()).toEqual(entries.map(([entry]) => entry).toSorted());
    for (const [, source] of entries) expect(existsSync(join(root, folder, String(source))), String(source)).toBe(true);
  });

  test("its entries name their module", () => {
    for (const [entry, source] of Object.entries(manifest.exports ?? {})) {
      if (entry === "./package.json") continue;
      expect(readText(join(folder, String(source))), `${folder}/${String(source)}`).toMatch(/^\/\*\*[^]*?@module /);
    }
  });
});

test("no file names a folder of a developer's machine", () => {
  const location = /(?<![\w.~-])(\/(home|Users|root|work)\/[\w.]|[A-Z]:\\\\?Users)/;
  expect(files.filter((path) => location.test(readText(path)))).toEqual([]);
});

test("no file silences the compiler or the linter, except expected type errors in tests", () => {
  const silenced = /(@ts-(ignore|nocheck)|(oxlint|eslint)-disable)/;
  const checked = files.filter((path) => /\.(ts|mjs)$/.test(path) && !path.includes("/assembly/"));
  expect(checked.filter((path) => silenced.test(readText(path)))).toEqual([]);
  const expected = checked.filter((path) => readText(path).includes("@ts-expect-error"));
  expect(expected.filter((path) => !path.endsWith(".test.ts"))).toEqual([]);
});

test("files have at most 400 lines or a listed reason", () => {
  const long = files
    .filter((path) => /\.(ts|mjs|py)$/.test(path))
    .map((path) => ({ path, lines: readText(path).split("\n").length - 1 }))
    .filter(({ path, lines }) => lines > 400 && !(path in longFiles));
  expect(long).toEqual([]);
});

test("sources avoid Node's recursive mkdir, which never ends below /proc", () => {
  const source = files.filter(
    (path) => /^(packages|apps)\/[^/]+\/src\/.*\.ts$/.test(path) && !path.endsWith(".test.ts"),
  );
  expect(source.filter((path) => /\bmkdir(Sync)?\([^;]*recursive: true/.test(readText(path)))).toEqual([]);
});
