import { examplesIn, programIn, outputsOf, runTests, type Ending } from "../code/run-tests.ts";
import type { RunProgram } from "../protocols/baseline.ts";
import { filled, type Script, textOf } from "../protocols/script.ts";

/** How the program of a reply did on the examples of its question. */
export interface OnExamples {
  readonly passes: boolean;
  /** It passes, and there are examples: whoever hears it passes it on. */
  readonly solved: boolean;
  /** In our words a line; in released words what stands behind the program. */
  readonly feedback: string;
}

/**
 * Runs a reply's program on the examples of the question's docstring, each in an interpreter of its own.
 * @returns null for a reply without a program, and in our words for a question without examples
 */
export async function onExamples(
  question: string,
  reply: string,
  run: RunProgram,
  script: Script | undefined,
): Promise<OnExamples | null> {
  const examples = examplesIn(question);
  const writes = script ? isProgram(reply) : examples.length > 0 && programIn(reply, null) !== null;
  if (!writes) return null;
  const ends = await runTests(question, reply, examples, run);
  const passes = ends.every((end) => end === null);
  const feedback = script
    ? released(script, examples, await outputsOf(question, reply, examples, ends, run))
    : ours(examples.length, ends);
  return { passes, solved: passes && examples.length > 0, feedback };
}

/** The released harness takes a reply for a program that is one block of Python and nothing else. */
function isProgram(reply: string): boolean {
  return reply.startsWith("```python") && reply.endsWith("```");
}

function ours(count: number, ends: readonly Ending[]): string {
  const failed = ends.findIndex((end) => end !== null);
  if (failed < 0) return "The program passes the examples.";
  return `The program fails example ${failed + 1} of ${count}: ${ends[failed] ?? ""}`;
}

function released(script: Script, tests: readonly string[], outputs: readonly (string | null)[]): string {
  const passed = tests.filter((_, i) => outputs[i] === null);
  const failed = tests.flatMap((test, i) => {
    const output = outputs[i] ?? null;
    if (output === null) return [];
    return filled(textOf(script, "output"), test, output === "time" ? textOf(script, "no output") : output);
  });
  return `${textOf(script, "passed")}${passed.join("\n")}${textOf(script, "passed not")}\n${failed.join("\n")}`;
}
