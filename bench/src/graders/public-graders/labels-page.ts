import type { Tally } from "@laconic/grading/board";
import type { ExemplarSource } from "@laconic/benchmarks/exemplars";
import { adjudications } from "./adjudication.ts";

/** What the grader says of one source of labels. */
export interface LabelBoard extends Tally {
  /** Labels whose sides are no texts. */
  readonly leftOut: number;
  /** Disagreements by the rule that decides them. */
  readonly byRule: Readonly<Record<string, number>>;
  /** Verdicts of the published rule that are as labelled, where the source tests that rule. */
  readonly asPublished?: number;
}

/** What was measured before anything was mended. */
interface Look {
  readonly look: string;
  readonly date: string;
  readonly pairs: number;
  readonly asLabelled: number;
  readonly falseAccepts: number;
  readonly falseRejects: number;
}

/** Labels of others, as a page. */
export function labelsPage(
  boards: Readonly<Record<string, LabelBoard>>,
  sources: readonly ExemplarSource[],
  looks: readonly Look[],
): string {
  const rules = Object.entries(boards).flatMap(([name, { byRule }]) =>
    Object.entries(byRule).map(([rule, count]) => ({ name, rule, count })),
  );
  const reasons = adjudications.filter(({ rule }) => rules.some((each) => each.rule === rule));
  const math = boards["MATH"];
  return [
    "# Labels of others",
    "",
    "The grader beside labels that it was not written with: those in the test files of public graders, and test pairs of our own.",
    "The files are fetched by commit and checked; none is in this repository. Python reads their syntax and runs nothing of it.",
    "",
    "```sh",
    "npx tsx bench/src/graders/public-graders.ts          # counts; --show prints each disagreement",
    "```",
    "",
    "| source | pairs | as labelled, % (95 %) | false accepts | false rejects | labels left out |",
    "| --- | --- | --- | --- | --- | --- |",
    ...Object.entries(boards).map(([name, { pairs, accuracy, falseAccepts, falseRejects, leftOut }]) => {
      const [low, high] = accuracy.interval.map((share) => (100 * share).toFixed(1));
      return `| ${name} | ${pairs} | ${(100 * accuracy.share).toFixed(1)} (${low} to ${high}) | ${falseAccepts.count} | ${falseRejects.count} | ${leftOut} |`;
    }),
    "",
    "Left out are labels whose sides are no texts, such as objects of SymPy without a plain spelling. Omni-MATH's rules have no labelled",
    "test: their grader is Qwen2.5-Math's file. Minerva's normalisation is tested by AISBench, which also tests MATH's rule for AGIEval.",
    ...(math?.asPublished === undefined
      ? []
      : [
          "",
          `The published rule for MATH (\`--grade-rule published\`) is as MATH's own test says on ${math.asPublished} of ${math.pairs}.`,
        ]),
    "",
    "## Test pairs, at first look",
    "",
    "Written and labelled before the grader's code was touched, then measured, then mended by rule. What the grader says now is above.",
    "",
    "| look | pairs | as labelled, % | false accepts | false rejects | date |",
    "| --- | --- | --- | --- | --- | --- |",
    ...looks.map(
      ({ look, date, pairs, asLabelled, falseAccepts, falseRejects }) =>
        `| ${look} | ${pairs} | ${((100 * asLabelled) / pairs).toFixed(1)} | ${falseAccepts} | ${falseRejects} | ${date} |`,
    ),
    "",
    "The second and third look are of other pairs, after the one before was mended: the figures to expect on pairs that nobody here has seen.",
    "",
    "## Disagreements",
    "",
    "| source | rule | pairs |",
    "| --- | --- | --- |",
    ...rules.map(({ name, rule, count }) => `| ${name} | ${rule} | ${count} |`),
    "",
    "| rule | what stands | because |",
    "| --- | --- | --- |",
    ...reasons.map(({ rule, stands, because }) => `| ${rule} | the ${stands} | ${because} |`),
    "",
    "## Sources",
    "",
    "| source | repository | licence | files |",
    "| --- | --- | --- | --- |",
    ...sources.map(
      ({ name, title, licence, texts }) => `| ${name} | ${title} | ${licence} | ${Object.keys(texts).length} |`,
    ),
    "",
    "`bench/src/graders/public-graders/manifest.ts` has each file's commit, path, bytes and SHA-256.",
    "",
  ].join("\n");
}
