import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test } from "vitest";
import { cli, expectRefused, laconic, rowsIn } from "../../test/laconic.ts";
import { recordingServer, type ServedRequest } from "../../test/recording-server.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const bench = (...words: readonly string[]): ReturnType<typeof laconic> => laconic("bench", ...words);
const names = "gpqa,mmlu-pro,livecodebench,hotpotqa";

function examples(count: number, category: (i: number) => string): Uint8Array {
  const ids = Array.from({ length: count }, (_, i) => i);
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: "question_id", data: ids.map((i) => BigInt(i)), type: "INT64" },
        { name: "question", data: ids.map((i) => `Which is ${category(i)} ${i}?`), type: "STRING" },
        {
          name: "options",
          data: ids.map(() => "abcdefghij".split("").map((letter) => `option ${letter}`)),
          type: "JSON",
        },
        { name: "answer", data: ids.map(() => "J"), type: "STRING" },
        { name: "answer_index", data: ids.map(() => 9n), type: "INT64" },
        {
          name: "cot_content",
          data: ids.map((i) => `A: Let's think step by step. Thought ${category(i)} ${i}. The answer is (J).`),
          type: "STRING",
        },
        { name: "category", data: ids.map((i) => category(i)), type: "STRING" },
      ],
    }),
  );
}

const contest = { platform: "atcoder", difficulty: "easy", contest_date: "2025-02-01T00:00:00", metadata: "{}" };
const contents: Readonly<Record<string, string | Uint8Array>> = {
  "gpqa/gpqa_main.csv": [
    "Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3,Record ID",
    "Which one?,right,w1,w2,w3,rec1",
    "And now?,right,w1,w2,w3,rec2",
  ].join("\n"),
  "mmlu-pro/test-00000-of-00001.parquet": examples(2, (i) => ["law", "maths"][i] ?? ""),
  "mmlu-pro/validation-00000-of-00001.parquet": examples(14, (i) => ["maths", "law"][i % 2] ?? ""),
  "livecodebench/test6.jsonl": `${JSON.stringify({
    ...contest,
    question_id: "a",
    question_content: "Print the square of n.",
    public_test_cases: JSON.stringify([{ input: "3\n", output: "9\n" }]),
    private_test_cases: JSON.stringify([{ input: "4", output: "16" }]),
  })}\n`,
  "hotpotqa/validation-00000-of-00001.parquet": JSON.stringify([
    {
      id: "h1",
      question: "Where was Acme's founder born?",
      answer: "the city of Rome",
      context: { title: ["Acme", "Ann"], sentences: [["Ann founded Acme."], ["Ann was born", " in Rome."]] },
    },
  ]),
};

async function dataFolder(): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(contents)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

const asked = ({ messages }: ServedRequest): string => messages.at(-1)?.content ?? "";

function reply(request: ServedRequest): string {
  const text = asked(request);
  if (text.includes("square")) return "```python\nn = int(input())\nprint(n * n)\n```";
  if (text.includes("Acme")) return "#### Rome, Italy";
  return `The answer is ${/^([A-J])\) (?:right|option j)$/mu.exec(text)?.[1] ?? "?"}`;
}

test("plans, plays, grades and resumes all four benchmarks", async () => {
  const [folder, { url, served }] = [await dataFolder(), await recordingServer(reply)];
  const run = join(folder, "bench");
  const input = ["--benchmarks", names, "--methods", "vanilla,cot", "--model", "fake", "--base-url", url, "--offline"];
  const plan = await bench(...input, "--folder", folder, "--run", run, "--dry-run", "--json");
  expect([plan.code, plan.err]).toEqual([
    0,
    expect.stringContaining("gpqa: GPQA, split main: 2 problems, expected 448"),
  ]);
  expect((JSON.parse(plan.out) as { samples: number }).samples).toBe(12);
  expect(served).toEqual([]);

  const { code, out } = await bench(...input, "--folder", folder, "--run", run, "--json");
  expect(code).toBe(0);
  const { summaries } = JSON.parse(out) as {
    summaries: { benchmark: string; method: string; accuracy: { value: number }; meanScore: number | null }[];
  };
  expect(
    summaries.map(({ benchmark, method, accuracy, meanScore }) => [benchmark, method, accuracy.value, meanScore]),
  ).toEqual([
    ["gpqa", "vanilla", 1, null],
    ["gpqa", "cot", 1, null],
    ["mmlu-pro", "vanilla", 1, null],
    ["mmlu-pro", "cot", 1, null],
    ["livecodebench", "vanilla", 1, null],
    ["livecodebench", "cot", 1, null],
    ["hotpotqa", "vanilla", 0, 0.4],
    ["hotpotqa", "cot", 0, 0.4],
  ]);
  expect(await readFile(join(run, "report.md"), "utf8")).toMatch(/## F1 of words, %[^#]*\| Vanilla \| 40\.0 \|/u);
  expect((await bench("--resume", "--run", run, "--folder", folder)).code).toBe(0);
  expect(served).toHaveLength(12);
});

test("a date range selects LiveCodeBench's questions from all local releases, in records, report and resume", async () => {
  const [folder, { url, served }] = [await dataFolder(), await recordingServer(reply)];
  const row = JSON.parse(contents["livecodebench/test6.jsonl"] as string) as Record<string, unknown>;
  const release = (file: string, days: Readonly<Record<string, string>>): Promise<void> =>
    writeFile(
      join(folder, "livecodebench", file),
      Object.entries(days)
        .map(([id, day]) => `${JSON.stringify({ ...row, question_id: id, contest_date: `${day}T01:30:00` })}\n`)
        .join(""),
    );
  await release("test6.jsonl", { a: "2025-02-01", b: "2025-03-01" });
  await release("test5.jsonl", { c: "2024-12-31", d: "2025-01-01" });
  const input = ["--benchmarks", "livecodebench", "--methods", "vanilla", "--model", "fake", "--base-url", url];
  const play = (run: string, ...rest: readonly string[]): ReturnType<typeof laconic> =>
    bench(...input, "--offline", "--folder", folder, "--run", join(folder, run), ...rest);
  const recordsOf = (run: string): Promise<{ problem: string; config: string }[]> =>
    rowsIn(join(folder, run), "samples.jsonl");
  const idsOf = async (run: string): Promise<string[]> =>
    (await recordsOf(run)).map(({ problem }) => problem.slice("livecodebench/".length)).toSorted();

  // Both days count, and a question of the last day is in whatever its hour.
  const { code, err } = await play("both", "--from", "2025-01-01", "--to", "2025-02-01");
  expect([code, err]).toEqual([0, expect.stringContaining("livecodebench: v4 is not in the window")]);
  expect(await idsOf("both")).toEqual(["a", "d"]);
  const report = await readFile(join(folder, "both", "report.md"), "utf8");
  expect(report).toContain("livecodebench: only questions of 2025-01-01..2025-02-01");
  expect(report).toContain("livecodebench 2 of its window");
  const requests = served.length;
  expect((await bench("--resume", "--run", join(folder, "both"), "--folder", folder)).code).toBe(0);
  expect(served).toHaveLength(requests);

  await play("later", "--from", "2025-01-02");
  expect(await idsOf("later")).toEqual(["a", "b"]);
  // Of the same question, and not the same window: no record of one stands for the other.
  const [both, later] = await Promise.all(["both", "later"].map((run) => recordsOf(run)));
  const configOf = (records: typeof both) => records?.find(({ problem }) => problem.endsWith("/a"))?.config;
  expect(configOf(both)).not.toBe(configOf(later));

  const refusals = [
    [["--from", "2025-04-01"], "the local files (v6, v5) cover 2024-12-31 to 2025-03-01"],
    [["--to", "2024-12-30"], "no question of livecodebench is of ..2024-12-30"],
    [["--from", "2025-02-30"], "from: expected a day, YYYY-MM-DD"],
    [["--from", "2025-02-02", "--to", "2025-02-01"], "from (2025-02-02) is after to (2025-02-01)"],
    [["--benchmarks", "gpqa", "--to", "2025-02-01"], "no chosen benchmark has dates"],
  ] as const;
  for (const [words, reason] of refusals) {
    const refused = await play("refused", ...words, "--dry-run");
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining(reason)]);
  }
});

test("MMLU-Pro's chains of thought show five worked examples of the question's category in file order", async () => {
  const [folder, { url, served }] = [await dataFolder(), await recordingServer(reply)];
  const run = join(folder, "bench");
  const input = cli`--benchmarks mmlu-pro --methods cot --model fake --base-url ${url} --folder ${folder}`;
  const { code } = await bench(...input, "--run", run);
  expect(code).toBe(0);
  const law = served.find((request) => asked(request).includes("law 0"));
  expect(law?.messages.filter(({ role }) => role === "assistant").map(({ content }) => content)).toEqual(
    [1, 3, 5, 7, 9].map((i) => `Thought law ${i}.\nThe answer is J`),
  );
  expect(asked(law as ServedRequest)).toContain("\nJ) option j");
  const [record] = await rowsIn(run, "samples.jsonl");
  expect(record).toMatchObject({ protocol: "cot/mmlu-pro@1", shots: 5, published: null });
});

test("names unsuitable methods and methods without calibration questions", async () => {
  const input = ["--folder", await dataFolder(), "--model", "m", "--offline", "--dry-run"];
  await expectRefused(
    ["bench", "--benchmarks", "livecodebench", "--methods", "log-likelihood", ...input],
    "log-likelihood scores options, and code questions",
  );
  const learns = await bench("--benchmarks", "gpqa,hotpotqa", "--methods", "vanilla,agentprune-c", ...input);
  expect([learns.code, learns.err]).toEqual([0, expect.stringContaining("skipped: agentprune-c on gpqa, hotpotqa")]);
});
