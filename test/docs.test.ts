import { expect, test } from "vitest";
import { metricNames } from "../packages/trainer/src/metric-names.ts";
import { publishedPackages, readText } from "./workspace.ts";

test("docs/metrics.md explains every metric", () => {
  const page = readText("docs/metrics.md");
  const missing = metricNames
    .map(({ name }) => `\`${name.replaceAll(/\{(\w+)\}/g, "<$1>")}\``)
    .filter((name) => !page.includes(name));
  expect(missing).toEqual([]);
});

test("the README and the concepts page list every package", () => {
  for (const page of ["README.md", "docs/concepts.md"])
    expect(publishedPackages.filter(({ manifest: { name } }) => !readText(page).includes(`\`${name}\``))).toEqual([]);
});
