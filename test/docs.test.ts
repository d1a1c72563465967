import { expect, test } from "vitest";
import { metricNames } from "../packages/trainer/src/metric-names.ts";
import { publishedPackages, readText, repositoryFiles } from "./workspace.ts";

// Written by `npx vitest run test/docs -u`; docs/metrics.md shows it.
test("docs/metric-names.md is the list in the code", async () => {
  const rows = metricNames.map(({ name, meaning }) => {
    const shown = name.replaceAll(/\{(\w+)\}/g, "<$1>");
    return `| \`${shown}\` | ${meaning.replaceAll("|", "\\|")} |`;
  });
  const table = ["| name | meaning |", "| --- | --- |", ...rows, ""].join("\n");
  await expect(table).toMatchFileSnapshot("../docs/metric-names.md");
});

test("the README and the concepts page list every package", () => {
  for (const page of ["README.md", "docs/concepts.md"])
    expect(publishedPackages.filter(({ manifest: { name } }) => !readText(page).includes(`\`${name}\``))).toEqual([]);
});

test("whatever SECURITY.md says is shown by a file is there", () => {
  const named = [...readText("SECURITY.md").matchAll(/`([\w./-]+\.ts)`/gu)].map(([, path]) => path as string);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !repositoryFiles().includes(path))).toEqual([]);
});
