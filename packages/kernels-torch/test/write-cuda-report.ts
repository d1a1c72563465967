// npm run check:cuda: checks the CUDA kernels' calls against each named PyTorch, one JSON line each.
//   tsx packages/kernels-torch/test/write-cuda-report.ts FILE PYTHON...
import { writeFileSync } from "node:fs";
import { askPyTorch, kernelQuestion } from "./ask-pytorch.ts";

const [file, ...pythons] = process.argv.slice(2);
const question = await kernelQuestion(true);
const rows = pythons.map((python) => {
  const outcome = askPyTorch(python, question);
  if ("unavailable" in outcome) throw new Error(outcome.unavailable);
  const { torch, cuda, wrong, operators, missingOptional, unchecked, calls, events } = outcome.answer;
  const reached = operators.filter(({ name }) => calls[name] !== undefined);
  const kernels = (kernel: (name: string | null) => boolean): number =>
    reached.filter((item) => kernel(item.kernel)).length;
  return {
    torch,
    cuda,
    symbols: question.symbols.required.length + question.symbols.optional.length,
    missingOptional,
    unchecked,
    operators: reached.length,
    ofCuda: cuda === null ? null : kernels((name) => name === "CUDA"),
    composed: cuda === null ? null : kernels((name) => name !== null && name !== "CUDA"),
    calls: Object.values(calls).reduce((sum, count) => sum + count, 0),
    events,
    wrong,
  };
});
for (const row of rows) {
  const reply = `PyTorch ${row.torch}: ${row.calls} calls of ${row.operators} operators, ${row.wrong.length} wrong`;
  process.stdout.write([reply, ...row.wrong, ""].join("\n"));
}
if (file !== undefined) writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
process.exitCode = rows.some(({ wrong }) => wrong.length > 0) ? 1 : 0;
