import { gradeProgram, type ProgramTests, type Sandbox } from "@laconic/sandbox";
import { sectionsOf } from "../../src/self-test.ts";

/** A program that is wrong and wants to be called right. */
export interface ForgedGrade {
  readonly name: string;
  readonly program: string;
  /** How its verdict may begin. */
  readonly rules: readonly string[];
  /** Sandboxes where one process for program and tests would be fooled. */
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

/** What is wrong with how a program is judged, by the real grader and by a careless one; empty when nothing is. */
export async function wrongVerdicts(sandbox: Sandbox, { program, rules, fools }: ForgedGrade): Promise<string[]> {
  const { correct, decided, limited, rule } = await gradeProgram(program, tests, sandbox, { seconds: 1 });
  const careless = await sandbox.run({ code: `${program}\n${tests.test}\ncheck(double)\n` });
  const isFooled = careless.status === "ok";
  return [
    ...(correct ? ["it passes"] : []),
    ...(decided || limited ? [] : ["undecided"]),
    ...(rules.some((each) => rule.startsWith(each)) ? [] : [`the rule is ${rule}`]),
    ...(isFooled === fools.includes(sandbox.record.kind) ? [] : [`the careless grader says ${careless.status}`]),
  ];
}

/** Whether an honest program passes the same tests. */
export async function honestPasses(sandbox: Sandbox): Promise<boolean> {
  return (await gradeProgram("def double(x):\n    return x + x\n", tests, sandbox)).correct;
}
