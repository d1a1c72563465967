// Maths verdicts a second on one core: the pairs of the labelled cases that LACONIC_DATA holds, each as often right as
// its label says. Beside it, in the same run, Math-Verify of Python where LACONIC_PYTHON (or .venv) has it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { jsonLines } from "@laconic/benchmarks";
import { gradeMaths, mathsGrader, readGradedCases } from "@laconic/grading";
import { machine, print } from "../measure.ts";
import { readOptions } from "../options.ts";
import { lastOf, python, run } from "../processes.ts";

readOptions({ options: {} });

const data = process.env["LACONIC_DATA"];
if (data === undefined) throw new Error("set LACONIC_DATA to the folder that holds grader-cases.jsonl");
const pairs = [
  ...readGradedCases(jsonLines("grader-cases.jsonl", readFileSync(join(data, "grader-cases.jsonl")))),
].flatMap((item) =>
  "reason" in item || item.kind !== "math-equivalence" || item.origin !== "computed"
    ? []
    : [{ reply: `So we get $\\boxed{${item.prediction}}$.`, gold: item.gold ?? "", label: item.verdict }],
);

print("machine", machine());
for (const round of ["cold", "warm"]) {
  const start = performance.now();
  const verdicts = pairs.map(({ reply, gold }) => gradeMaths(reply, gold, { bareGold: true }));
  report(
    `calling thread, ${round}`,
    performance.now() - start,
    verdicts.map(({ correct }) => correct),
  );
}
const maths = mathsGrader();
for (const round of ["cold", "warm"]) {
  const start = performance.now();
  const verdicts = await Promise.all(pairs.map(({ reply, gold }) => maths.grade(reply, gold, { bareGold: true })));
  report(
    `own thread, ${round}`,
    performance.now() - start,
    verdicts.map(({ correct }) => correct),
  );
}
await maths.close();
peer();

function report(where: string, ms: number, verdicts: readonly boolean[]): void {
  print("maths-grader", {
    where,
    pairs: pairs.length,
    verdictsPerSecond: Math.round((1000 * pairs.length) / ms),
    agree: verdicts.filter((correct, i) => correct === pairs[i]?.label).length / pairs.length,
  });
}

function peer(): void {
  const code = `
import json, sys, time
from math_verify import parse, verify
pairs = json.load(sys.stdin)
start = time.perf_counter()
said = [bool(verify(parse("$" + p["gold"] + "$"), parse(p["reply"]))) for p in pairs]
seconds = time.perf_counter() - start
print(json.dumps({"verdictsPerSecond": round(len(pairs) / seconds), "agree": sum(s == p["label"] for s, p in zip(said, pairs)) / len(pairs)}))
`;
  print("math-verify", lastOf(run(python, ["-c", code], { input: pairs })));
}
