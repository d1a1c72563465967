import type { Problem } from "@laconic/core";
import { sortedJson, type Findings, type Place } from "../findings.ts";
import { digestOf } from "../folder/checksums.ts";
import type { StepRecord } from "../folder/record.ts";
import type { RunFolder } from "../folder/run-folder.ts";
import { heldOutProblems, trainingProblems, type World } from "../tasks/world.ts";

type Split = "validation" | "test";

const inputOf = { validation: "data: held-out problems", test: "data: test problems" } as const;

/** Problems of all splits: drawn again where the task is known, distinct, and disjoint. */
export class ProblemChecks {
  readonly #run: RunFolder;
  readonly #findings: Findings;
  readonly #drawing: World["drawing"];
  /** What a known task draws. */
  readonly #expected: Readonly<Record<Split, readonly Problem[]>> | null;
  /** The split of each held-out problem, by its id and by its content. */
  readonly #splits = new Map<string, Split>();

  constructor(run: RunFolder, task: string, { drawing }: World, findings: Findings) {
    [this.#run, this.#findings, this.#drawing] = [run, findings, drawing];
    this.#expected = drawing ? heldOutProblems(drawing) : null;
    if (!drawing) findings.leaveOut("drawing of problems", `the rule of ${task} is not known here`);
  }

  #contentOf(problem: Problem): string {
    const { question, gold, views } = problem;
    return this.#drawing ? this.#drawing.contentOf(problem) : sortedJson([question, gold, views]);
  }

  /** The problems of an evaluation. */
  heldOut(split: Split, step: number, problems: readonly Problem[]): void {
    const findings = this.#findings;
    const place: Place = { step, split };
    const ids = problems.map(({ id }) => id);
    findings.same(
      "problem",
      place,
      "problems that are played twice",
      [],
      ids.filter((id, i) => ids.indexOf(id) !== i),
    );
    for (const problem of problems) {
      const at = { ...place, problem: problem.id };
      findings.same("problem", at, "split", split, this.#splits.get(`id ${problem.id}`) ?? split);
      const other = this.#splits.get(`content ${this.#contentOf(problem)}`) ?? split;
      // A data set may hold a question twice; a task that draws its problems does not.
      if (this.#drawing) findings.same("problem", at, "split of its content", split, other);
      else if (other !== split)
        findings.leaveOut("held-out problems", `${split} problems have the content of ${other} problems`);
    }
    for (const problem of problems)
      this.#splits.set(`id ${problem.id}`, split).set(`content ${this.#contentOf(problem)}`, split);
    this.#checkList(split, place, problems);
  }

  /** The list that is drawn again, and whose checksum the manifest has. */
  #checkList(split: Split, place: Place, problems: readonly Problem[]): void {
    const findings = this.#findings;
    const { problems: most } = this.#run.trainAt(place.step ?? 0).evaluation;
    const expected = this.#expected?.[split];
    const kept = this.#run.inputs[inputOf[split]];
    expected?.slice(0, most).forEach((problem, i) => {
      findings.same("problem", place, `problem ${i}`, problem, problems[i]);
    });
    if (expected) findings.number("problem", place, "problems", Math.min(most, expected.length), problems.length);
    const digest = digestOf(expected ?? problems);
    // A list that is shorter than asked for is whole.
    if (kept !== undefined && (expected || digest === kept || problems.length < most))
      findings.same("problem", place, `manifest.json: ${inputOf[split]}`, digest, kept);
    else findings.leaveOut("held-out problems", `the checksum of the ${split} problems is of more than were played`);
  }

  /** The problems of a training step. */
  training({ step, problems }: StepRecord): void {
    const findings = this.#findings;
    const train = this.#run.trainAt(step);
    for (const problem of problems) {
      if (!problem) continue;
      const place = { step, problem: problem.id };
      const held = this.#splits.get(`id ${problem.id}`) ?? this.#splits.get(`content ${this.#contentOf(problem)}`);
      if (held !== undefined && this.#run.admitsSeen)
        findings.leaveOut("held-out problems", `the run warns that it trains on ${held} problems`);
      else findings.same("problem", place, "split", "training", held ?? "training");
      if (this.#drawing) findings.same("problem", place, "is held out", false, this.#drawing.isHeldOut(problem));
    }
    if (!this.#drawing) return;
    if (train.problemPool !== null || train.curriculum !== undefined || train.asynchronous !== null)
      return findings.leaveOut("drawing of training problems", "they come from a pool, a curriculum or a queue");
    trainingProblems(this.#drawing, train.seed, step, train.problemsPerStep).forEach((expected, i) => {
      if (problems[i]) findings.same("problem", { step }, `problem ${i}`, expected, problems[i]);
    });
  }
}
