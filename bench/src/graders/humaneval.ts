// HumanEval's 164 published solutions through the grader, on each kind of sandbox that is here. Needs LACONIC_DATA.
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { gunzipSync } from "node:zlib";
import { createSandbox, gradeProgram } from "@laconic/sandbox";
import { machine, print } from "../measure.ts";
import { readOptions } from "../options.ts";

readOptions({ options: {} });

const data = process.env["LACONIC_DATA"];
if (data === undefined) throw new Error("set LACONIC_DATA to the folder that holds humaneval/HumanEval.jsonl.gz");
const rows = gunzipSync(readFileSync(join(data, "humaneval/HumanEval.jsonl.gz")))
  .toString()
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Record<"prompt" | "canonical_solution" | "test" | "entry_point", string>);

print("machine", machine());
for (const kind of ["wasi", "bubblewrap"] as const)
  for (const concurrency of [1, availableParallelism()]) {
    const start = performance.now();
    const sandbox = await createSandbox({ kind, concurrency }).catch((error: unknown) => String(error));
    if (typeof sandbox === "string") {
      print("humaneval", { kind, missing: sandbox });
      break;
    }
    const opened = performance.now();
    const verdicts = await Promise.all(
      rows.map((row) =>
        gradeProgram(
          row.prompt + row.canonical_solution,
          { prompt: row.prompt, test: row.test, entryPoint: row.entry_point },
          sandbox,
        ),
      ),
    );
    print("humaneval", {
      kind,
      concurrency,
      openSeconds: (opened - start) / 1000,
      seconds: (performance.now() - opened) / 1000,
      passed: verdicts.filter(({ correct }) => correct).length,
    });
    await sandbox.close();
  }
