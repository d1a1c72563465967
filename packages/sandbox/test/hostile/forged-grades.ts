import { gradeProgram, type ProgramTests, type Sandbox } from "@laconic/sandbox";
import { sectionsOf } from "../../src/self-test.ts";

export interface ForgedGrade {
  readonly name: string;
  readonly program: string;
  readonly rules: readonly string[];
  /** Sandboxes that would be fooled if program and tests shared a process. */
  readonly fools: readonly string[];
}

const tests: ProgramTests = {
  prompt: "",
  entryPoint: "double",
  test: [
    "def check(candidate):",
    "    assert candidate(2) == 4",
    "    assert candidate(-3) == -6",
    "    assert candidate('ab') == 'abab'",
    "    assert candidate([1]) == [1, 1]",
    "",
  ].join("\n"),
};

export const forgedGrades: readonly ForgedGrade[] = sectionsOf(new URL("forged-grades.py", import.meta.url)).map(
  ({ name, fields: [rules = "", fools], program }) => ({
    name,
    program,
    rules: rules.split(" or "),
    fools: fools?.split(" ") ?? [],
  }),
);

export async function wrongVerdicts(sandbox: Sandbox, { program, rules, fools }: ForgedGrade): Promise<string[]> {
  const { correct, decided, limited, rule } = await gradeProgram(program, tests, sandbox, { seconds: 1 });
  const careless = await sandbox.run({ code: `${program}\n${tests.test}\ncheck(double)\n` });
  const isFooled = careless.status === "ok";
  return [
    ...(correct ? ["it passes"] : []),
    ...(decided || limited ? [] : ["undecided"]),
    ...(rules.some((text) => rule.startsWith(text)) ? [] : [`the rule is ${rule}`]),
    ...(isFooled === fools.includes(sandbox.record.kind) ? [] : [`the careless grader says ${careless.status}`]),
  ];
}

export async function honestPasses(sandbox: Sandbox): Promise<boolean> {
  return (await gradeProgram("def double(x):\n    return x + x\n", tests, sandbox)).correct;
}
