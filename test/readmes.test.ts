import { describe, expect, test } from "vitest";
import { publishedPackages, readText } from "./workspace.ts";

const mostWords = (name: string): number => (name === "@laconic/cli" ? 1800 : 1200);

describe.each(publishedPackages)("$manifest.name", ({ folder, manifest: { name } }) => {
  const readme = readText(`${folder}/README.md`);
  const prose = readme.replaceAll(/^```[^]*?^```$/gmu, "");

  test("its README has the template's sections in order", () => {
    const headings = [...prose.matchAll(/^##? (.*)$/gmu)].map(([, heading]) => heading);
    const optional = headings.includes("Good to know") ? ["Good to know"] : [];
    expect(headings).toEqual([name, "Install", "Example", "What it has", ...optional, "More"]);
    expect(prose).toMatch(new RegExp(`^# ${name}\n\n\\S.*\\n\\n## Install\n`, "u"));
  });

  test("its example has a printed output", () => {
    const [, example] = /^## Example\n([^]*?)^## What it has/mu.exec(readme) ?? [];
    expect(example).toMatch(/^```ts\n[^]*?^```\n\n```text\n[^`]+^```$/mu);
  });

  test("its links work in a clone, and on npm relative to the repository", () => {
    const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/gu)].map(([, target = ""]) => target);
    expect(targets.filter((target) => !/^(?:https:\/\/|#|\.\.\/\.\.\/)/u.test(target))).toEqual([]);
  });

  test("its README is short", () => {
    expect(readme.split(/\s+/u).length).toBeLessThanOrEqual(mostWords(name));
  });
});
