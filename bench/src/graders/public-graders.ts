// What the grader says of labels that it was not written beside: the test files of public graders, by commit and SHA-256,
// fetched and never committed, and our test pairs. Needs python3, which reads their syntax and runs nothing of it.
//   npx tsx bench/src/graders/public-graders.ts [--mirror ADDRESS] [--folder FOLDER] [--show] [--ours] [--write]
// --ours judges our test pairs alone, and keeps what was measured of the others.
// --mirror is an https or file address laid out as raw.githubusercontent.com; --show prints disagreements; --write writes
// docs/benchmarks/public-graders.json and docs/grader-labels.md.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gradeProblem } from "@laconic/benchmarks";
import { mathsGrader, type GradedCase } from "@laconic/grading";
import { judgeCases } from "@laconic/grading/board";
import { openExemplars, type ExemplarSource } from "@laconic/benchmarks/exemplars";
import { testPairs } from "../../../packages/grading/test/grader-board/test-pairs.ts";
import { adjudicated } from "./public-graders/adjudication.ts";
import { labelsPage, type LabelBoard } from "./public-graders/labels-page.ts";
import { publicGraders } from "./public-graders/manifest.ts";
import { root } from "../processes.ts";
import { readOptions } from "../options.ts";

const { values } = readOptions({
  options: {
    mirror: { type: "string" },
    folder: { type: "string", default: join(tmpdir(), "laconic-graders") },
    show: { type: "boolean", default: false },
    ours: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const script = new URL("./public-graders/labels.py", import.meta.url);
const docs = join(root, "docs");

/** The labelled pairs of a grader's test files, and how many labels of theirs are no pair of texts. */
async function labelsOf(source: ExemplarSource): Promise<{ cases: GradedCase[]; leftOut: number }> {
  const { texts } = await openExemplars(source, {
    folder: values.folder,
    ...(values.mirror !== undefined && { mirror: values.mirror }),
  });
  const cases: GradedCase[] = [];
  let leftOut = 0;
  for (const [path, input] of Object.entries(texts)) {
    const { stdout, status, stderr } = spawnSync("python3", [script.pathname], { input, encoding: "utf8" });
    if (status !== 0) throw new Error(`${source.name} ${path}: ${stderr}`);
    for (const line of stdout.trim().split("\n")) {
      const row = JSON.parse(line) as GradedCase & { left_out?: number };
      if (row.left_out !== undefined) leftOut += row.left_out;
      else cases.push(caseOf(source, path, cases.length, row));
    }
  }
  return { cases, leftOut };
}

/** Math-Verify's pairs say where an answer is looked for; the others are answers from end to end. */
function caseOf({ name }: ExemplarSource, path: string, place: number, row: GradedCase): GradedCase {
  const whole = name === "Math-Verify" ? {} : { origin: "computed" };
  return { ...row, ...whole, id: `${path}#${place + 1}`, kind: "math-equivalence", tags: [name] };
}

async function boardOf(name: string, cases: readonly GradedCase[], leftOut: number): Promise<LabelBoard> {
  const { total, disagreements } = await judgeCases(cases);
  const byRule: Record<string, number> = {};
  for (const each of disagreements) {
    const { rule } = adjudicated(name, each);
    byRule[rule] = (byRule[rule] ?? 0) + 1;
    const { id, gold, prediction, verdict } = each.item;
    if (values.show) console.log(JSON.stringify([rule, id, gold, prediction, verdict, each.verdict.rule]));
  }
  return { ...total, leftOut, byRule };
}

/** How often the published rule for MATH is as MATH's own test says. */
async function asPublished(cases: readonly GradedCase[]): Promise<number> {
  const maths = mathsGrader();
  const verdicts = await Promise.all(
    cases.map(({ id, gold, prediction }) =>
      gradeProblem(
        `\\boxed{${prediction}}`,
        { id, question: "", gold: gold ?? "", grading: { kind: "maths" } },
        { maths, rule: "published" },
      ),
    ),
  );
  await maths.close();
  return verdicts.filter(({ correct }, i) => correct === cases[i]?.verdict).length;
}

const measured = join(docs, "benchmarks/public-graders.json");
const boards: Record<string, LabelBoard> = values.ours
  ? (JSON.parse(readFileSync(measured, "utf8")) as Record<string, LabelBoard>)
  : {};
for (const source of values.ours ? [] : publicGraders) {
  const { cases, leftOut } = await labelsOf(source);
  const board = await boardOf(source.name, cases, leftOut);
  boards[source.name] = source.name === "MATH" ? { ...board, asPublished: await asPublished(cases) } : board;
}
boards["our test pairs"] = await boardOf("kept for the test", testPairs(), 0);
for (const [name, { pairs, accuracy, falseAccepts, falseRejects, leftOut, byRule }] of Object.entries(boards))
  console.log(
    `${name}: ${accuracy.count} of ${pairs} as labelled, ${falseAccepts.count} false accepts, ${falseRejects.count} false rejects, ${leftOut} left out; ${JSON.stringify(byRule)}`,
  );
if (values.write) {
  writeFileSync(measured, `${JSON.stringify(boards, null, 1)}\n`);
  const looks = readFileSync(join(docs, "../packages/grading/test/grader-board/first-looks.json"), "utf8");
  writeFileSync(join(docs, "grader-labels.md"), labelsPage(boards, publicGraders, JSON.parse(looks)));
}
