import { expect, test } from "vitest";
import { baselines, describeProtocol, scoringMethods } from "../packages/baselines/src/index.ts";
import { benchmarks } from "../packages/benchmarks/src/index.ts";
import { rangeOf, samplingNames, samplingParameters } from "../packages/core/src/index.ts";
import { metricNames } from "../packages/trainer/src/metric-names.ts";
import { tasks } from "../docs/.vitepress/sidebar.ts";
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

// Written by `npx vitest run test/docs -u`; docs/samplers.md shows it.
test("docs/sampling-parameters.md is the list in the code", async () => {
  const rows = samplingNames.map((name) => {
    const { shape, help, neutral, optional, takenBy } = samplingParameters[name];
    return `| \`${name}\` | ${help} | ${rangeOf(shape)} | ${optional ? "none" : neutral} | ${takenBy.join(", ")} |`;
  });
  const head = ["| parameter | what it does | range | default | taken by |", "| --- | --- | --- | --- | --- |"];
  await expect([...head, ...rows, ""].join("\n")).toMatchFileSnapshot("../docs/sampling-parameters.md");
});

// Written by `npx vitest run test/docs -u`; docs/protocols.md shows it.
test("docs/protocol-list.md is how the methods are played", async () => {
  const cell = (text: string): string => text.replaceAll("|", "\\|");
  const listed = [...baselines, ...scoringMethods.filter(({ protocols }) => protocols)];
  const entries = listed.map(({ title, name, protocols = [] }) => {
    const rows = protocols.map((protocol) => {
      const {
        name: id,
        questions,
        calls,
        size,
        temperature,
        ceiling,
        shots,
        stops,
        votes,
        differs,
      } = describeProtocol(protocol);
      const cells = [`\`${id}\``, questions, [calls, size].filter((part) => part !== "").join("; ")];
      return [...cells, temperature, ceiling, shots, stops, votes, differs].map((each) => ` ${cell(each)} `).join("|");
    });
    const reported = protocols.flatMap((protocol) => {
      const {
        name: id,
        roles,
        prompts,
        hears,
        partition: dealing,
        answerLine,
        source,
        labels,
      } = describeProtocol(protocol);
      return [
        `- \`${id}\`: ${roles}. ${prompts} Hears: ${hears} Dealt: ${dealing.replace(/\.$/u, "")}. Answer line: ${answerLine} Source: ${source} (${labels}).`,
      ];
    });
    const head =
      "| protocol | questions | calls | temperature | max tokens | examples | stops | answer | not as published |";
    return [
      `## ${title}: \`${name}\``,
      "",
      head,
      "| --- ".repeat(9).concat("|"),
      ...rows.map((row) => `|${row}|`),
      "",
      ...reported,
      "",
    ].join("\n");
  });
  await expect(entries.join("\n")).toMatchFileSnapshot("../docs/protocol-list.md");
});

test("the README and the concepts page list every package", () => {
  for (const page of ["README.md", "docs/concepts.md"])
    expect(publishedPackages.filter(({ manifest: { name } }) => !readText(page).includes(`\`${name}\``))).toEqual([]);
});

test("the README and the front page count methods and benchmarks as the code does", () => {
  const methods = `ublished methods (${baselines.length} with their variants)`;
  expect(readText("README.md")).toContain(methods);
  expect(readText("docs/index.md")).toContain(`${methods} on ${benchmarks.length} benchmarks`);
});

/** Of a page's file: what stands before its first part. */
function openingOf(link: string): string {
  const page = readText(link.endsWith("/") ? `docs${link}index.md` : `docs${link}.md`);
  return page.slice(0, page.indexOf("\n## "));
}

test.each(tasks.map(({ text, items }) => [text, items[0]?.link ?? ""]))(
  "%s begins with something to run: %s",
  (_, link) => {
    expect(/^# .+\n\n```sh\n(?:npm|npx|laconic) /u.exec(openingOf(link))?.[0]).toBeDefined();
  },
);

test("every page of a task has something to run before its first part", () => {
  const links = tasks.flatMap(({ items }) => items.map(({ link }) => link)).filter((link) => link !== "/api/");
  const without = ["/what-for", "/getting-started", "/playground", ...links].filter(
    (link) => !/^```sh\n(?:npm|npx|laconic) /mu.test(openingOf(link)),
  );
  expect(without).toEqual([]);
});
