import type { Problem } from "@laconic/core";
import { sortedJson, type Findings, type Split } from "../findings.ts";
import { digestOf } from "../folder/checksums.ts";
import type { PlayedRecord, StepRecord } from "../folder/record.ts";
import type { RunFolder } from "../folder/run-folder.ts";
import { evaluationProblems, trainingProblems, type World } from "../tasks/world.ts";

const inputOf = { validation: "data: validation problems", test: "data: test problems" } as const;

export class ProblemChecks {
  readonly #run: RunFolder;
  readonly #findings: Findings;
  readonly #drawing: World["drawing"];
  readonly #expected: Readonly<Record<Split, readonly Problem[]>> | null;
  readonly #splits = new Map<string, Split>();

  constructor(run: RunFolder, task: string, { drawing }: World, findings: Findings) {
    [this.#run, this.#findings, this.#drawing] = [run, findings, drawing];
    this.#expected = drawing ? evaluationProblems(drawing) : null;
    if (!drawing) findings.leaveOut("drawing of problems", `the rule of ${task} is unknown`);
  }

  #keysOf(problem: Problem): readonly [id: string, content: string] {
    const { id, question, gold, views } = problem;
    return [`id ${id}`, this.#drawing?.contentOf(problem) ?? sortedJson([question, gold, views])];
  }

  evaluated(split: Split, { step, played }: PlayedRecord): void {
    const problems = played.map(({ problem }) => problem);
    const ids = problems.map(({ id }) => id);
    const twice = ids.filter((id, i) => ids.indexOf(id) !== i);
    this.#findings.at("problem", { step, split }).same("duplicate problems", [], twice);
    for (const problem of problems) {
      const comparisons = this.#findings.at("problem", { step, split, problem: problem.id });
      const [own = split, other = split] = this.#keysOf(problem).map((key) => this.#splits.get(key));
      comparisons.same("split", split, own);
      // Data sets may repeat a question; tasks that draw problems do not.
      if (this.#drawing) comparisons.same("split of its content", split, other);
      else if (other !== split)
        this.#findings.leaveOut("evaluation problems", `${split} problems have the content of ${other} ones`);
    }
    for (const key of problems.flatMap((problem) => this.#keysOf(problem))) this.#splits.set(key, split);
    this.#checkList(split, step, problems);
  }

  #checkList(split: Split, step: number, problems: readonly Problem[]): void {
    const comparisons = this.#findings.at("problem", { step, split });
    const { problems: most } = this.#run.trainAt(step).evaluation;
    const expected = this.#expected?.[split];
    const retained = this.#run.inputs[inputOf[split]];
    expected?.slice(0, most).forEach((problem, i) => comparisons.same(`problem ${i}`, problem, problems[i]));
    if (expected) comparisons.number("problems", Math.min(most, expected.length), problems.length);
    const digest = digestOf(expected ?? problems);
    // A list shorter than requested is complete.
    if (retained !== undefined && (expected || digest === retained || problems.length < most))
      comparisons.same(`manifest.json: ${inputOf[split]}`, digest, retained);
    else this.#findings.leaveOut("evaluation problems", `the checksum of ${split} problems includes unplayed ones`);
  }

  training({ step, problems }: StepRecord): void {
    const train = this.#run.trainAt(step);
    for (const problem of problems) {
      if (!problem) continue;
      const comparisons = this.#findings.at("problem", { step, problem: problem.id });
      const [own = "training", other] = this.#keysOf(problem).map((key) => this.#splits.get(key));
      comparisons.same("split", "training", own);
      if (this.#drawing) comparisons.same("is of an evaluation", false, this.#drawing.isEvaluated(problem));
      else if (other)
        this.#findings.leaveOut("evaluation problems", `training problems have the content of ${other} ones`);
    }
    if (!this.#drawing) return;
    if (train.problemPool !== null || train.curriculum !== undefined || train.asynchronous !== null)
      return this.#findings.leaveOut("drawing of training problems", "they come from a pool, a curriculum or a queue");
    const position = this.#findings.at("problem", { step });
    trainingProblems(this.#drawing, train.seed, step, problems.length).forEach((expected, i) => {
      if (problems[i]) position.same(`problem ${i}`, expected, problems[i]);
    });
  }
}
