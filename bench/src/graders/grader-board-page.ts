// Writes docs/grader-board.md from what the grader says of its board, beside Math-Verify where LACONIC_PYTHON has it:
//   npx tsx bench/src/graders/grader-board-page.ts
// With --keep-rates the page keeps the rates that it has: on busy cores they say nothing of the grader.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import {
  graderBoard,
  graderRules,
  judgeCases,
  tallyOf,
  type Judged,
  type Share,
  type Tally,
} from "@laconic/grading/board";
import { peer, root } from "../processes.ts";
import { readOptions } from "../options.ts";

const { values: given } = readOptions({ options: { "keep-rates": { type: "boolean", default: false } } });
const rules = await graderRules();
const judged: Judged[] = [];
const report = await judgeCases(await graderBoard(), (each) => judged.push(each));
const shared = judged.filter(({ item }) => item.kind === "maths" || item.kind === "numeric");
const { printed, failed } = peer(
  "math_verify_pairs.py",
  shared.map(({ item: { id, gold, prediction } }) => ({ id, gold, prediction })),
);
if (failed !== null) console.error(`no Math-Verify beside it: ${failed}`);
const { version, seconds } = (printed.at(-1) ?? {}) as { readonly version?: string; readonly seconds?: number };
const peerVerdicts = new Map(printed.map(({ id, verdict }) => [id, verdict === true]));
const theirs = shared.map(({ item, verdict }) => ({
  item,
  verdict: { ...verdict, correct: peerVerdicts.get(item.id) ?? false },
}));
const ourDisagreements = new Set(report.disagreements.map(({ item }) => item.id));
const theirDisagreements = theirs.filter(
  ({ item, verdict }) => item.verdict !== verdict.correct && !ourDisagreements.has(item.id),
);
const percent = ({ share, interval: [low, high] }: Share): string =>
  `${(100 * share).toFixed(2)} (${(100 * low).toFixed(2)} to ${(100 * high).toFixed(2)})`;
const row = (name: string, { pairs, accuracy, falseAccepts, falseAcceptsOfWrong, falseRejects }: Tally): string =>
  `| ${name} | ${pairs} | ${percent(accuracy)} | ${falseAccepts.count} | ${percent(falseAccepts)} | ${percent(falseAcceptsOfWrong)} | ${falseRejects.count} |`;
const head = [
  "| | pairs | as labelled, % (95 %) | false accepts | of all pairs, % | of the wrong answers, % | false rejects |",
  "| --- | --- | --- | --- | --- | --- | --- |",
];

/** A text as code in a cell of a table, where nothing in it acts on Markdown, HTML or Vue. */
function shown(text: string): string {
  const cut = text.length > 160 ? `${text.slice(0, 160)}…` : text;
  const escaped = cut.replaceAll(/[^ a-zA-Z0-9.,:;=+()/-]/gu, (sign) => {
    const code = sign.codePointAt(0) as number;
    if (sign === "\n") return "&#92;n";
    return code > 126 || code < 32 ? `&#92;u${code.toString(16).padStart(4, "0")}` : `&#${code};`;
  });
  return `<code>${escaped}</code>`;
}

const oneByOne = (list: readonly Judged[]): string[] => [
  "| pair | rule | gold | reply | by the rule |",
  "| --- | --- | --- | --- | --- |",
  ...list.map(
    ({ item: { id, rule, gold, prediction, verdict } }) =>
      `| ${id} | ${rule ?? ""} | ${shown(gold ?? "")} | ${shown(prediction ?? "")} | ${verdict ? "right" : "wrong"} |`,
  ),
];

const page = [
  "# The grader's board",
  "",
  "Labelled pairs of a reply and a gold answer, our own: some two thirds drawn from families of answers, the rest written one by one; half",
  "are right and half are wrong. No pair comes from a benchmark's file. Each names the rule that makes it right or wrong.",
  "",
  "```sh",
  "npm run -s laconic -- grade                              # accuracy by kind and tag, and the speed",
  "npm run -s laconic -- grade --disagreements",
  "npx tsx bench/src/graders/grader-board-page.ts           # writes this page, with Math-Verify beside it",
  "npx tsx bench/src/graders/grader-board.ts --seed 7 | npm run -s laconic -- grade - --board   # other pairs of the same families",
  "```",
  "",
  "Where both sides of a pair are known in SymPy's notation, SymPy decides as well whether they are equal; `test/grader-board.test.ts`",
  "finds it to agree with every such label. The board was written beside the grader, whose faults it showed were mended: what it says of other",
  "graders is where their rules differ, not how good they are.",
  "",
  "## Rules",
  "",
  "| rule | what it says |",
  "| --- | --- |",
  ...Object.entries(rules).map(([name, rule]) => `| ${name} | ${rule.replaceAll("|", "\\|")} |`),
  "",
  "## Figures",
  "",
  ...head,
  row("all", report.total),
  ...Object.entries(report.kinds).map(([kind, tally]) => row(kind, tally)),
  "",
  `${report.verdictsPerSecond} verdicts a second by the wall, ${report.verdictsPerProcessorSecond} a second of processor time: two threads, from a cold start, on ${cpus().length} cores of ${cpus()[0]?.model ?? "an unknown processor"}, Node ${process.version}. The compiler warms up within these pairs; [Benchmarks](./benchmarks/index.md#maths-verdicts) has the rate once warm.`,
  "",
  "## Where our grader is not as labelled",
  "",
  ...oneByOne(report.disagreements),
  "",
  "A refusal that holds a number is taken for its last number. Of two quantities the first counts, since either could be a guess.",
  "",
  ...(version !== undefined
    ? [
        `## Beside Math-Verify ${version}`,
        "",
        "As its documentation uses it (`parse`, `verify`, no settings), on the pairs of mathematics and numbers.",
        "",
        ...head,
        row("ours", tallyOf(shared)),
        row("Math-Verify", tallyOf(theirs)),
        "",
        `Math-Verify gave ${Math.round(shared.length / (seconds ?? Number.NaN))} verdicts a second of the wall, in the same run.`,
        "",
        "### Where Math-Verify alone is not as labelled",
        "",
        ...oneByOne(theirDisagreements),
        "",
      ]
    : []),
];
const path = join(root, "docs/grader-board.md");
const isRate = (line: string): boolean => / verdicts a second/u.test(line);
const kept = given["keep-rates"] ? readFileSync(path, "utf8").split("\n").filter(isRate) : [];
writeFileSync(path, page.map((line) => (isRate(line) ? (kept.shift() ?? line) : line)).join("\n"));
