import { join } from "node:path";
import { expect, test } from "vitest";
import { benchmarks, type Benchmark } from "../packages/benchmarks/src/index.ts";
import { grouped } from "../packages/core/src/numeric/index.ts";
import { samplingNames, samplingParameters } from "../packages/core/src/backends/index.ts";
import { rangeOf } from "../packages/core/src/index.ts";
import { isComparable, reproductionLedger } from "../packages/evaluation/src/reproduction/index.ts";
import { metricNames } from "../packages/trainer/src/metric-names.ts";
import * as released from "./released.ts";
import { readText, root } from "./workspace.ts";

type Row = readonly (string | number)[];

const table = (head: Row, rows: readonly Row[]): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`)
    .join("\n");

function splitsOf({ splits, source }: Benchmark): string {
  const sizes = Object.entries(splits).map(([name, { rows }]) => `\`${name}\` (${rows.toLocaleString("en")})`);
  const [placed] = Object.values(splits).flatMap((split) => split.placed ?? []);
  const byHand = placed === undefined ? "" : `; place \`${placed.path}\` by hand: ${placed.how}`;
  return `Splits ${sizes.join(", ")} of ${source}${byHand}`;
}

/** Sections of pages that the code decides, between `<!-- generated: NAME -->` and `<!-- /generated -->`. */
const sections: readonly (readonly [page: string, name: string, text: () => string])[] = [
  [
    "docs/metrics.md",
    "metrics",
    () =>
      table(
        ["name", "meaning"],
        metricNames.map(({ name, meaning }) => [`\`${name.replaceAll(/\{(\w+)\}/gu, "<$1>")}\``, meaning]),
      ),
  ],
  [
    "docs/samplers.md",
    "sampling",
    () =>
      table(
        ["parameter", "what it does", "range", "default", "taken by"],
        samplingNames.map((name) => {
          const { shape, help, neutral, optional, takenBy } = samplingParameters[name];
          return [`\`${name}\``, help, rangeOf(shape), optional ? "none" : String(neutral), takenBy.join(", ")];
        }),
      ),
  ],
  [
    "docs/data.md",
    "benchmarks",
    () =>
      [
        table(
          ["benchmark", "name", "what is asked", "scored split", "licence"],
          benchmarks.map(({ title, name, about, defaultSplit, licence }) => [
            title,
            `\`${name}\``,
            about,
            `\`${defaultSplit}\``,
            licence,
          ]),
        ),
        "Sources and known traps:",
        benchmarks
          .map((benchmark, index) => {
            const { title, traps } = benchmark;
            const told = new Set(benchmarks.slice(0, index).flatMap((earlier) => earlier.traps));
            const own = traps.filter((trap) => !told.has(trap));
            return `- **${title}.** ${splitsOf(benchmark)}. ${own.join(" ")}`.trimEnd();
          })
          .join("\n"),
      ].join("\n\n"),
  ],
  [
    "docs/papers.md",
    "ledger",
    () => {
      const rows = reproductionLedger();
      return table(
        ["published numbers", "rows", "can be compared", "of these as published"],
        [...new Set(rows.map(({ paper, place }) => `${paper}, ${place}`))].map((where) => {
          const members = rows.filter(({ paper, place }) => `${paper}, ${place}` === where);
          const played = members.filter(isComparable);
          return [where, members.length, played.length, played.filter(({ differs }) => differs.length === 0).length];
        }),
      );
    },
  ],
  ...released.configurations.map((configuration): (typeof sections)[number] => [
    "docs/released.md",
    configuration.name,
    () => {
      const rows = released.comparedRows(configuration);
      const base = released.configurations.find(({ name }) => name === configuration.like);
      const known = (base ? released.releasedCells(base) : []).map(String);
      const cells = released.releasedCells(configuration).filter((row) => !known.includes(String(row)));
      const plain = cells.filter(([, , comparison]) => comparison === "equal").map(([setting = ""]) => setting);
      const departures = rows.filter(({ reason }) => reason !== undefined).length;
      const rest = base === undefined ? "" : ` Rows that equal those of \`${base.name}\` are left out.`;
      const knownFiles = new Set(base?.rows.map(({ file = base.file }) => file));
      const ownFiles = [configuration.file, ...rows.map(({ file }) => file)].filter((file) => !knownFiles.has(file));
      const files = [...new Set(ownFiles)].map(released.pinnedFile);
      return [
        `${rows.length - departures} values are equal, ${departures} depart.${rest}`,
        ...(plain.length > 0 ? [`Equal in name and value: ${plain.join("; ")}.`] : []),
        table(
          ["released", "ours", "comparison"],
          cells.filter(([, , comparison]) => comparison !== "equal"),
        ),
        ...grouped(files, ({ repository }) => repository).map(
          (members) =>
            `Files of [${members[0].repository}](https://github.com/${members[0].repository}/tree/${members[0].commit}): ${members.map(({ path }) => `\`${path}\``).join(", ")}.`,
        ),
      ].join("\n\n");
    },
  ]),
  [
    "docs/released.md",
    "agent-gspo",
    () =>
      table(
        ["setting", "ours, and why", "sweep"],
        released.openSettings.map((row) => [
          `\`${row.path}\``,
          `${JSON.stringify(released.settingAt(released.resolved("agent-gspo"), row.path)).replaceAll('"', "")}. ${row.reason}`,
          `\`${released.sweepCommand(row)}\``,
        ]),
      ),
  ],
];

// `npx vitest run test/generated-docs.test.ts --update` writes them.
test.each([...new Set(sections.map(([page]) => page))])("%s", async (page) => {
  let written = readText(page);
  for (const [, name, text] of sections.filter(([of]) => of === page)) {
    const marked = new RegExp(`(<!-- generated: ${name} -->\n\n)[^]*?(\n\n<!-- /generated -->)`, "u");
    expect(written).toMatch(marked);
    written = written.replace(marked, (_, begin: string, end: string) => `${begin}${text()}${end}`);
  }
  await expect(written).toMatchFileSnapshot(join(root, page));
});
