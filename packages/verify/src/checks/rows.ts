import type { Findings } from "../findings.ts";
import type { RunFolder } from "../folder/run-folder.ts";
import { isObject, type Json } from "../rules/closed-set.ts";

/** One record for each step, a row and a record for each evaluation that is due, and checkpoints that repeat them. */
export function checkRows(run: RunFolder, findings: Findings): void {
  const { records, evaluations, rowsFrom, test, checkpoints } = run;
  const whole = records.filter(({ isComplete }) => isComplete);
  const steps = whole.flatMap(({ kind, step }) => (kind === "step" ? step : []));
  const [first = 1] = steps;
  if (steps.length === 0 || first > 1)
    findings.leaveOut("earlier steps", steps.length === 0 ? "none is recorded" : `1 to ${first - 1}`);
  findings.same(
    "files",
    {},
    "recorded steps",
    Array.from(steps.keys(), (i) => first + i),
    steps,
  );
  const last = Math.max(0, ...steps);
  const rows = evaluations.map(({ step }) => step);
  const due = Array.from({ length: last }, (_, step) => step).filter((step) => {
    const { every } = run.trainAt(step).evaluation;
    return step >= rowsFrom - 1 && (step === 0 || (every > 0 && step % every === 0));
  });
  // An interrupted run, and one whose steps are all taken, end with one more.
  const expected = [...new Set([...due, ...rows.filter((step) => step >= last)])];
  if (rows.length > 0) findings.same("files", {}, "evaluated steps", expected, rows);
  const evaluated = whole.flatMap(({ kind, step }) => (kind === "evaluation" ? step : []));
  const missing = rows.filter((step) => !evaluated.includes(step));
  // Records are kept of all evaluations or of none, and let go from the first on.
  const isLetGo = evaluated.length === 0 || missing.every((step) => step < first && first > 1);
  if (!isLetGo) findings.same("files", {}, "evaluations without episodes", [], missing);
  else if (missing.length > 0) findings.leaveOut("evaluations without episodes", `steps ${missing.join(", ")}`);
  findings.same(
    "files",
    {},
    "evaluations without a row",
    [],
    evaluated.filter((step) => !rows.includes(step)),
  );
  if (!test?.record && evaluated.length > 0 && test) findings.same("files", {}, "episodes of the test", true, false);
  else if (!test?.record)
    findings.leaveOut("test problems", test ? "their episodes are not recorded" : "the folder has no test.json");
  else findings.number("files", { split: "test" }, "step of the test", last, test.record.step);
  for (const { step, state } of checkpoints) {
    for (const key of ["before", "after", "best"]) {
      const kept: Json = isObject(state[key]) ? state[key] : {};
      const row = evaluations.find((each) => each.step === kept["step"]);
      if (row && key !== "best") findings.same("files", { step }, `checkpoint's evaluation ${key}`, row, kept);
      if (row)
        findings.number("files", { step }, `checkpoint's accuracy ${key}`, Number(row["accuracy"]), kept["accuracy"]);
    }
  }
}
