import type { Findings } from "../findings.ts";
import type { RunFolder } from "../folder/run-folder.ts";
import { isObject, type Json } from "../rules/closed-set.ts";

export function checkRows(run: RunFolder, findings: Findings): void {
  const { records, evaluations, test, checkpoints } = run;
  const files = findings.at("files", {});
  const whole = records.filter(({ isComplete }) => isComplete);
  const steps = whole.flatMap(({ kind, step }) => (kind === "step" ? step : []));
  const [first = 1] = steps;
  if (steps.length === 0) findings.leaveOut("steps", "none is recorded whole");
  else if (first > 1) findings.leaveOut("steps", `1 to ${first - 1} are not recorded`);
  const counted = Array.from(steps.keys(), (i) => first + i);
  files.same("recorded steps", counted, steps);
  const last = Math.max(0, ...steps);
  const rows = evaluations.map(({ step }) => step);
  const due = [0, ...steps].filter((step) => {
    const { every } = run.trainAt(step).evaluation;
    return step < last && (step === 0 || (every > 0 && step % every === 0));
  });
  // Interrupted or extended runs have more: each end is evaluated.
  const expected = [...new Set([...due, ...rows])].toSorted((a, b) => a - b);
  if (rows.length > 0) files.same("evaluated steps", expected, rows);
  const evaluated = new Set(whole.flatMap(({ kind, step }) => (kind === "evaluation" ? step : [])));
  const missing = rows.filter((step) => !evaluated.has(step));
  // Evaluation records exist for all or none; the oldest are dropped first.
  const isLetGo = evaluated.size === 0 || (first > 1 && missing.every((step) => step < first));
  if (!isLetGo) files.same("evaluations without episodes", [], missing);
  else if (missing.length > 0) findings.leaveOut("evaluations without episodes", `steps ${missing.join(", ")}`);
  const surplus = [...evaluated].filter((step) => !rows.includes(step));
  files.same("evaluations without a row", [], surplus);
  if (!test?.record)
    findings.leaveOut("test problems", test ? "their episodes are not recorded" : "there is no test.json");
  if (test && evaluated.size > 0) files.same("step of the test's episodes", last, test.record?.step);
  for (const { step, state } of checkpoints)
    for (const key of ["before", "after", "best"]) {
      const retained: Json = isObject(state[key]) ? state[key] : {};
      const row = evaluations.find((evaluation) => evaluation.step === retained["step"]);
      const comparisons = findings.at("files", { step });
      if (row && key !== "best") comparisons.same(`checkpoint's evaluation ${key}`, row, retained);
      if (row) comparisons.number(`checkpoint's accuracy ${key}`, Number(row["accuracy"]), retained["accuracy"]);
    }
}
