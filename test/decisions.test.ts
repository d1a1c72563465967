import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { apiReports } from "../scripts/lib/api-report.mjs";
import { readText, repositoryFiles, root } from "./workspace.ts";

const folder = "docs/decisions/";
const pages = repositoryFiles().filter((path) => path.startsWith(folder) && !path.endsWith("/index.md"));
const sections = ["Context", "Decision", "Why", "Consequences"];

/** Files that a page names in code. */
const filesIn = (text: string): string[] =>
  [...text.matchAll(/`((?:packages|apps|test|docs)\/[\w./-]+|\.oxlintrc\.json)`/gu)].map((match) => match[1] as string);

describe("decisions", () => {
  test.each(pages)("%s is a page: context, decision, why, consequences", (page) => {
    const text = readText(page);
    expect(text.split("\n").length - 1).toBeLessThan(60);
    expect([...text.matchAll(/^## (.+)$/gmu)].map((match) => match[1])).toEqual(sections);
    expect(readText(`${folder}index.md`)).toContain(`(./${page.slice(folder.length)})`);
  });
});

test.each([...pages, "docs/glossary.md"])("the files that %s names are there", (page) => {
  const named = filesIn(readText(page));
  expect(named).not.toHaveLength(0);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("exports that the glossary names are exports", () => {
  const exports = new Map(apiReports().map(({ entry, names }) => [entry, new Set(names)]));
  const missing = [...readText("docs/glossary.md").matchAll(/\| ([^|]*) in `(@laconic\/[\w/-]+)` \|/gu)].flatMap(
    ([, names = "", entry = ""]) =>
      [...names.matchAll(/`(\w+)[\w.]*`/gu)]
        .map((match) => match[1] as string)
        .filter((name) => exports.get(entry)?.has(name) !== true)
        .map((name) => `${name} of ${entry}`),
  );
  expect(missing).toEqual([]);
});

test("the glossary names every exported type of an episode or around one", () => {
  const sources = repositoryFiles().filter(
    (path) => /\/(?:src|web)\/.*\.tsx?$/u.test(path) && !path.endsWith(".test.ts"),
  );
  const word =
    /^export (?:interface|type|class) (\w*(?:Episode|Rollout|Utterance|Transcript|Conversation|Trajectory)\w*)/gmu;
  const names = new Set(sources.flatMap((path) => Array.from(readText(path).matchAll(word), ([, name = ""]) => name)));
  const glossary = readText("docs/glossary.md");
  expect(names.size).toBeGreaterThan(20);
  expect([...names].filter((name) => !glossary.includes(`\`${name}\``)).toSorted()).toEqual([]);
  const table = glossary.slice(glossary.indexOf("## An episode"), glossary.indexOf("Names around them"));
  expect([...table.matchAll(/`([A-Z]\w+)`(?=[ ,])/gu)]).toHaveLength(15);
});
