import { readFileSync } from "node:fs";

/** The Python module that grades programs; every sandbox has it ready for import. */
export const harness = {
  name: "laconic_grading",
  files: ["values.py", "candidate.py", "tests.py"],
} as const;

/** Its source. */
export function harnessSource(): string {
  const read = (file: string): string => readFileSync(new URL(`../../assets/grading/${file}`, import.meta.url), "utf8");
  return harness.files.map((file) => read(file)).join("\n\n");
}

/** A program that calls a function of the module. */
export function harnessCall(name: "answer_calls" | "run_tests"): string {
  return `import ${harness.name}\n${harness.name}.${name}()`;
}
