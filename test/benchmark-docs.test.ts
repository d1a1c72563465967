import { describe, expect, test } from "vitest";
import { benchmarks, type Benchmark } from "../packages/benchmarks/src/index.ts";
import type { Grading } from "../packages/grading/src/index.ts";

/** How an answer of each kind is judged. */
const grading: Readonly<Record<Grading["kind"], string>> = {
  numeric: "A number is looked for in the reply and compared with the gold as a number.",
  letter: "One of the benchmark's letters is looked for in the reply and compared with the gold.",
  maths: "An expression is looked for in the reply and compared with the gold as a mathematical object.",
  text: "A text is looked for in the reply and compared with the gold, character by character.",
  code: "The program is run against its tests in the sandbox, never on the host.",
  program: "The program is run on its cases in the sandbox, never on the host, and what it makes of them is compared.",
  writing: "There is no right answer: the reward looks at the form of the text.",
};

const sharedWords =
  "The words of answer and gold are compared, without case, punctuation and articles: whether they are the same, and their F1.";

// Written by `npx vitest run test/benchmark-docs -u`.
describe.each(benchmarks)("$name", (benchmark) => {
  test("its page is what the registry says", async () => {
    await expect(pageOf(benchmark)).toMatchFileSnapshot(`../docs/data/${benchmark.name}.md`);
  });
});

test("the list of benchmarks is the registry's", async () => {
  const rows = benchmarks.map(
    ({ name, title, about, licence }) => `| [${title}](./${name}.md) | ${about} | ${licence} |`,
  );
  await expect(
    ["| benchmark | what is asked | licence |", "| --- | --- | --- |", ...rows, ""].join("\n"),
  ).toMatchFileSnapshot("../docs/data/list.md");
});

function pageOf({ name, title, about, licence, source, answer, gold, traps, splits, defaultSplit }: Benchmark): string {
  const rows = Object.entries(splits).map(([split, { rows: count, files = [], hub, pool }]) => {
    const held = files.map(({ path, sha256 }) => `\`${path}\`, sha256 \`${sha256.slice(0, 12)}…\``).join("; ");
    return `| \`${split}\`${pool ? " (for examples)" : ""} | ${count.toLocaleString("en")} | ${held || "–"} | ${hub ? `\`${hub.repo}\`` : "–"} |`;
  });
  const byHand = Object.values(splits).flatMap(({ placed }) => placed ?? []);
  return [
    `# ${title}`,
    "",
    about,
    "",
    "| split | problems | pinned files, with known bytes | hub |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    `- **Licence**: ${licence}.`,
    `- **Source**: ${source}.`,
    `- **Gold**: ${gold}.`,
    `- **Grading**: ${answer.kind === "text" && answer.words ? sharedWords : grading[answer.kind]}`,
    ...byHand.map(
      ({ path, sha256, how }) =>
        `- **By hand**: \`${path}\` (${sha256 === undefined ? "its bytes are not known" : `sha256 \`${sha256.slice(0, 12)}…\``}); ${how}.`,
    ),
    "",
    "```sh",
    `laconic data get ${name}`,
    `laconic data show ${name} --agents 3`,
    "```",
    "",
    `Scores are of the split \`${defaultSplit}\` unless another is named.`,
    "",
    "## Known traps",
    "",
    ...traps.map((trap) => `- ${trap}`),
    "",
  ].join("\n");
}
