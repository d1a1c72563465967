import { boundedJson } from "@laconic/core/json";
import { z } from "zod";
import { casesIn } from "../../grading/hidden-cases.ts";
import { code, refuse, text, type Rows } from "./fields.ts";

export const humanevalRow: Rows = z
  .object({ task_id: text, prompt: code, entry_point: text, canonical_solution: code.optional(), test: code })
  .transform(({ task_id: id, prompt, entry_point: entryPoint, canonical_solution: solution, test }) => ({
    id,
    question: prompt,
    gold: test,
    grading: { kind: "code", prompt, test, entryPoint },
    ...(solution !== undefined && { solution }),
  }));

export const humaneval161Row: Rows = z
  .object({ name: text, prompt: code, entry_point: text, test: code })
  .transform(({ name, prompt, entry_point: entryPoint, test }) => ({
    id: `humaneval-161/${name}`,
    question: prompt,
    gold: test,
    grading: { kind: "code", prompt, test, entryPoint, testCallsItself: true, published: "agent-prune" },
  }));

export const mbppRow: Rows = z
  .object({
    task_id: z.number(),
    text,
    code,
    test_list: z.array(text).min(1),
    test_setup_code: z.string().default(""),
  })
  .transform(({ task_id: id, text: about, code: solution, test_list: tests, test_setup_code: setup }, context) => {
    const definitions = solution.replaceAll("\r", "").matchAll(/^def (\w+)\([^\n]*\).*:[^\S\n]*$/gmu);
    const called = [...definitions].find(([, name]) => new RegExp(String.raw`\b${name}\(`, "u").test(tests[0] ?? ""));
    if (!called) return refuse(context, "no function of the solution is called by the first test");
    const [line, entryPoint = ""] = called;
    const shown = tests.map((test) => `    ${test}`).join("\n");
    const prompt = `${line.trimEnd()}\n    """${about.trim()}\n\n${shown}\n    """\n`;
    const test = [setup.trim(), ...tests].filter((part) => part !== "").join("\n");
    const grading = { kind: "code", prompt, test, entryPoint, testCallsItself: true, published: "mbpp" } as const;
    return { id: `mbpp/${id}`, question: prompt, gold: test, grading, solution };
  });

const readsStdin = "The program reads its input from stdin and prints the answer to stdout.";

export const livecodebenchRow: Rows = z
  .object({
    question_id: text,
    question_title: z.string().default(""),
    question_content: text,
    platform: z.string(),
    contest_date: z.string().regex(/^\d{4}-\d\d-\d\d(?!\d)/u, "expected a date, YYYY-MM-DD"),
    starter_code: z.string().default(""),
    difficulty: z.string(),
    public_test_cases: z.string(),
    private_test_cases: z.string().regex(/^(?:\[.*|[A-Za-z0-9+/]*={0,2})$/su, "expected base64, or a list in JSON"),
    metadata: z.string().default("{}"),
  })
  .transform((row, context) => {
    const { starter_code: starter, platform, difficulty, contest_date: date } = row;
    const read = <T>(key: "public_test_cases" | "metadata", parse: (cell: string) => T): T => {
      try {
        return parse(row[key]);
      } catch (error) {
        return refuse(context, (error as Error).message, key);
      }
    };
    const shown = read("public_test_cases", casesIn);
    const entryPoint = read("metadata", functionIn);
    if (starter.trim() !== "" && entryPoint === null)
      return refuse(context, "names no func_name for the starter code", "metadata");
    const task =
      entryPoint === null
        ? readsStdin
        : `Begin with this code, and keep its names:\n\`\`\`python\n${starter.trimEnd()}\n\`\`\``;
    return {
      id: `livecodebench/${row.question_id}`,
      question: `${row.question_content}\n\n${task}`,
      gold: "",
      grading: { kind: "program", entryPoint, shown, hidden: row.private_test_cases },
      metadata: { platform, difficulty, date: date.slice(0, 10) },
    };
  });

/** @throws Error without a function name */
function functionIn(metadata: string): string | null {
  const { func_name: name = null } = z.object({ func_name: z.string().optional() }).parse(boundedJson(metadata));
  if (name === null || /^[A-Za-z_]\w*$/u.test(name)) return name;
  throw new Error(`func_name is ${JSON.stringify(name.slice(0, 40))}, expected the name of a function`);
}
