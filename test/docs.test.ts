import { expect, test } from "vitest";
import { metricNames } from "../packages/trainer/src/metric-names.ts";
import { publishedPackages, readText } from "./workspace.ts";

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
