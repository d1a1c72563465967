import { readFileSync } from "node:fs";

export const harness = {
  name: "laconic_grading",
  files: ["values.py", "candidate.py", "tests.py"],
} as const;

export function harnessSource(): string {
  const read = (file: string): string => readFileSync(new URL(`../../assets/grading/${file}`, import.meta.url), "utf8");
  return harness.files.map(read).join("\n\n");
}

export function harnessCall(name: "answer_calls" | "run_tests"): string {
  return `import ${harness.name}\n${harness.name}.${name}()`;
}
