import { boundedJson } from "@laconic/core/json";
import { z } from "zod";
import type { Benchmark, RowProblem, Split } from "../benchmark.ts";
import { casesIn } from "../../grading/hidden-cases.ts";
import { text } from "./rows.ts";

const row: z.ZodType<RowProblem> = z
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
  .transform((each, context): RowProblem => {
    const { question_content: content, starter_code: starter, platform, difficulty, contest_date: date } = each;
    const refuse = (key: string, message: string): never => {
      context.addIssue({ code: "custom", path: [key], message });
      return z.NEVER;
    };
    let [shown, entryPoint]: [ReturnType<typeof casesIn>, string | null] = [[], null];
    try {
      shown = casesIn(each.public_test_cases);
    } catch (error) {
      return refuse("public_test_cases", (error as Error).message);
    }
    try {
      entryPoint = functionIn(each.metadata);
    } catch (error) {
      return refuse("metadata", (error as Error).message);
    }
    if (starter.trim() !== "" && entryPoint === null)
      return refuse("metadata", "names no func_name for the starter code");
    return {
      id: `livecodebench/${each.question_id}`,
      question: `${content}\n\n${entryPoint === null ? reading : completing(starter)}`,
      gold: "",
      grading: { kind: "program", entryPoint, shown, hidden: each.private_test_cases },
      metadata: { platform, difficulty, date: date.slice(0, 10) },
    };
  });

/** @throws Error for what is no object in JSON, or names no function */
function functionIn(metadata: string): string | null {
  const { func_name: name = null } = z.object({ func_name: z.string().optional() }).parse(boundedJson(metadata));
  if (name === null || /^[A-Za-z_]\w*$/u.test(name)) return name;
  throw new Error(`func_name is ${JSON.stringify(name.slice(0, 40))}, expected the name of a function`);
}

const reading = "The program reads its input from stdin and prints the answer to stdout.";

function completing(starter: string): string {
  return `Begin with this code, and keep its names:\n\`\`\`python\n${starter.trimEnd()}\n\`\`\``;
}

function part(file: string, rows: number): Split {
  return {
    rows,
    hub: { repo: "livecodebench/code_generation_lite", files: [file] },
    placed: {
      path: `livecodebench/${file}`,
      how: `put ${file} of the hub's livecodebench/code_generation_lite there, or the lines of it that are wanted`,
    },
  };
}

export const livecodebench: Benchmark = {
  name: "livecodebench",
  title: "LiveCodeBench",
  about:
    "Programming contests by date: whole programs that read stdin, or a class to complete, judged by hidden cases.",
  licence: "CC (stated by the hub's page without a version); the texts belong to their contests",
  source: "https://github.com/LiveCodeBench/LiveCodeBench; hub livecodebench/code_generation_lite",
  answer: { kind: "program" },
  gold: "none in words: `public_test_cases` and `private_test_cases`",
  traps: [
    "A split is what a release added, so that `release_v5` of its authors is v1 to v5 together. A window of contest dates (`bench --from`, `--to`) takes all releases that are here.",
    "Private cases are a pickle in zlib in base64. A pickle is a program: ours takes the text in it without running anything, and refuses every other pickle.",
    "A case has 6 s of a program's own time, as its authors', on CPython in WebAssembly, which is slower; all calls of a function together have 30 s.",
    "Its authors raise Python's recursion limit to 50,000; ours stays as it is.",
  ],
  defaultSplit: "v6",
  date: "date",
  longestLine: 1 << 28,
  splits: {
    v6: part("test6.jsonl", 175),
    v5: part("test5.jsonl", 167),
    v4: part("test4.jsonl", 101),
    v3: part("test3.jsonl", 101),
    v2: part("test2.jsonl", 111),
    v1: part("test.jsonl", 400),
  },
  row,
};
