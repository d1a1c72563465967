import { z } from "zod";
import type { Benchmark, RowProblem } from "../benchmark.ts";
import { text } from "./rows.ts";

const code = z.string().min(1);

/** The function that the first test calls, and its line in the solution. */
function signatureOf(
  tests: readonly string[],
  solution: string,
): { readonly name: string; readonly line: string } | null {
  const defined = [...solution.matchAll(/^def (\w+)\([^\n]*\).*:[^\S\n]*$/gmu)];
  const found = defined.find(([, name = ""]) => new RegExp(String.raw`\b${name}\(`, "u").test(tests[0] ?? ""));
  return found ? { name: found[1] as string, line: found[0].trimEnd() } : null;
}

const row: z.ZodType<RowProblem> = z
  .object({
    task_id: z.number(),
    text,
    code,
    test_list: z.array(text).min(1),
    test_setup_code: z.string().default(""),
  })
  .transform(({ task_id: id, text: about, code: solution, test_list: tests, test_setup_code: setup }, context) => {
    const signature = signatureOf(tests, solution.replaceAll("\r", ""));
    if (signature === null) {
      context.addIssue({ code: "custom", message: "no function of the solution is called by the first test" });
      return z.NEVER;
    }
    const shown = tests.map((test) => `    ${test}`).join("\n");
    const prompt = `${signature.line}\n    """${about.trim()}\n\n${shown}\n    """\n`;
    const test = [setup.trim(), ...tests].filter((part) => part !== "").join("\n");
    const { name: entryPoint } = signature;
    const grading = { kind: "code", prompt, test, entryPoint, testCallsItself: true, published: "mbpp" } as const;
    return { id: `mbpp/${id}`, question: prompt, gold: test, grading, solution };
  });

const hub = (part: string): { readonly repo: string; readonly files: readonly string[] } => ({
  repo: "google-research-datasets/mbpp",
  files: [`full/${part}-*.parquet`],
});

export const mbpp: Benchmark = {
  name: "mbpp",
  title: "MBPP",
  about: "Short Python functions from a sentence and three tests.",
  licence: "CC-BY-4.0",
  source: "https://github.com/google-research/google-research/tree/master/mbpp; hub google-research-datasets/mbpp",
  answer: { kind: "code" },
  gold: "`test_list`, which calls the function itself",
  traps: [
    "Agents see the tests, as in the paper: the figure is of visible tests.",
    "Tasks 1 to 10 are those that the paper shows in its prompts, 11 to 510 the test, 511 to 600 the validation, 601 to 974 the training split.",
    "Rows name no function: ours is the one of the solution that the first test calls.",
  ],
  defaultSplit: "test",
  splits: {
    test: { rows: 500, hub: hub("test") },
    validation: { rows: 90, hub: hub("validation") },
    train: { rows: 374, hub: hub("train"), pool: true },
    prompt: { rows: 10, hub: hub("prompt"), pool: true },
  },
  row,
};
