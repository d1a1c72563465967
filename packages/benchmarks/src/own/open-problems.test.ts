import { tmpdir } from "node:os";
import { gzipSync } from "node:zlib";
import { LaconicError } from "@laconic/core";
import { startFakeHub } from "@laconic/hub/testing";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { BenchmarkProblem } from "../data/benchmark.ts";
import { gradeAnswer, mathsGrader } from "@laconic/grading";
import { brief, numeric, read, refusals, saved, two } from "../../test/own-data.ts";
import { openProblems, type OpenedProblems, type ProblemOptions } from "./open-data.ts";

async function refusal(name: string, content: string | Uint8Array, options: ProblemOptions): Promise<string> {
  const error: unknown = await read(name, content, options).catch((thrown: unknown) => thrown);
  if (!LaconicError.is(error)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  return `${error.code} ${error.message.replaceAll(/\/\S*\/(?=\S)/gu, "")}`;
}

test("JSON lines with a byte order mark, CRLF and an empty line", async () => {
  const text = '\uFEFF{"question":"1 + 1?","gold":"2"}\r\n\r\n{"question":"2 + 2?\\nor so","gold":4}\r\n';
  expect(brief(await read("a.jsonl", text, numeric))).toEqual(two);
});

test("reads a JSON array, also within gzip", async () => {
  const text = '\uFEFF[{"question":"1 + 1?","gold":2},\n {"question":"2 + 2?\\nor so","gold":"4"}]';
  expect(brief(await read("a.json", text, numeric))).toEqual(two);
  expect(brief(await read("a.json.gz", gzipSync(text), numeric))).toEqual(two);
});

test.each(["\n", "\r\n"])("CSV with a header, a byte order mark, quoted line breaks, line ends %j", async (end) => {
  const text = ["\uFEFFquestion,gold", "1 + 1?,2", "", '"2 + 2?\nor so","4"', ""].join(end);
  const loaded = await read("a.CSV", text, numeric);
  expect(brief(loaded)).toEqual([two[0], ["row/2", "2 + 2?\nor so", "4"]]);
});

test("TSV, and a gzipped CSV", async () => {
  expect(brief(await read("a.tsv", 'question\tgold\n1 + 1?\t2\n"2 + 2?\nor so"\t4\n', numeric))).toEqual(two);
  const csv = gzipSync('question,gold\n1 + 1?,2\n"2 + 2?\nor so",4\n');
  expect(brief(await read("a.csv.gz", csv, numeric))).toEqual(two);
});

test("Parquet, with 64-bit numbers that no double holds", async () => {
  const written = parquetWriteBuffer({
    columnData: [
      { name: "question", data: ["a?", "b?"], type: "STRING" },
      { name: "answer", data: [3n, 9007199254740993n], type: "INT64" },
    ],
  });
  const loaded = await read("a.parquet", new Uint8Array(written), { ...numeric, columns: { gold: "answer" } });
  expect(loaded.problems.map(({ gold }) => gold)).toEqual(["3", "9007199254740993"]);
});

test("a data set of the hub: files by pattern, pinned to their commit", async () => {
  const parquet = (answers: readonly string[]): Uint8Array =>
    new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: "problem", data: answers.map((answer) => `What is ${answer}?`), type: "STRING" },
          { name: "answer", data: [...answers], type: "STRING" },
        ],
      }),
    );
  const hub = await startFakeHub("acme/sums", {
    "main/train-1.parquet": { bytes: parquet(["3"]), large: true },
    "main/train-0.parquet": { bytes: parquet(["1", "2"]), large: true },
    "main/test-0.parquet": { bytes: parquet(["4"]), large: true },
  });
  onTestFinished(() => hub.close());
  const cacheFolder = await temporaryFolder();
  const options = {
    ...numeric,
    columns: { question: "problem", gold: "answer" },
    hub: { cacheFolder, offline: false, endpoint: hub.endpoint },
  };
  const loaded = await openProblems("hub:acme/sums/main/train-*.parquet", options);
  expect(loaded.problems.map(({ gold }) => gold)).toEqual(["1", "2", "3"]);
  expect(loaded.source).toBe(`hub:acme/sums@${hub.commit}/main/train-*.parquet`);
  expect(loaded.files.map(({ path }) => path)).toEqual([
    "hub:acme/sums/main/train-0.parquet",
    "hub:acme/sums/main/train-1.parquet",
  ]);
  const offline = { ...options, hub: { ...options.hub, offline: true } };
  expect((await openProblems(loaded.source, offline)).problems).toEqual(loaded.problems);
  expect((await openProblems(["hub:acme/sums@v1/main/test-0.parquet"], options)).problems).toHaveLength(1);
  await expect(openProblems("hub:acme/sums/main/validation-*", options)).rejects.toThrow(/no file matches/u);
  await expect(openProblems("hub:acme/sums", options)).rejects.toThrow(/names no files of a data set/u);
  await expect(openProblems("hub:acme/sums/a.csv", numeric)).rejects.toThrow(/hubEnvironment/u);
});

test("columns by name, nested ones by a dot; a column called so to the letter goes first", async () => {
  const columns = { question: "ask.text", gold: "answer.value", id: "uid", solution: "why" };
  const row = { uid: 7, ask: { text: "1 + 1?" }, answer: { value: 2, unit: "eggs" }, why: "one more than 1" };
  const loaded = await read("a.json", JSON.stringify([row]), { ...numeric, columns });
  expect(loaded.problems).toEqual([
    { id: "7", question: "1 + 1?", gold: "2", solution: "one more than 1", grading: { kind: "numeric" } },
  ]);
  const flat = JSON.stringify([{ ...row, "answer.value": 3 }]);
  expect((await read("a.json", flat, { ...numeric, columns })).problems[0]?.gold).toBe("3");
});

const letter = { grading: "letter" } as const;
const ofChoices = (choices: unknown, gold: unknown): string => JSON.stringify([{ question: "Which?", choices, gold }]);

test("options are a list, a cell, an object or columns; golds are a letter, an index or a text", async () => {
  const expected = { gold: "B", choices: ["one", "two"], grading: { kind: "letter", letters: "AB" } };
  const cases: readonly [string, string, ProblemOptions][] = [
    ["a.json", ofChoices(["one", "two"], "b"), letter],
    ["a.json", ofChoices({ text: ["one", "two"] }, "B"), { ...letter, columns: { choices: "choices.text" } }],
    ["a.json", ofChoices(["one", "two"], 1), { grading: { kind: "letter", golds: "index" } }],
    ["a.json", ofChoices(["one", "two"], "two"), { grading: { kind: "letter", golds: "text" } }],
    ["a.csv", 'question,choices,gold\nWhich?,"[""one"",""two""]",B\n', letter],
    ["a.csv", "question,A,B,gold\nWhich?,one,two,B\n", { ...letter, columns: { choices: ["A", "B"] } }],
  ];
  for (const [name, content, options] of cases)
    expect((await read(name, content, options)).problems).toEqual([expect.objectContaining(expected)]);
  const inText = { grading: { kind: "letter", letters: "ABC" } } as const;
  expect((await read("a.csv", "question,gold\nA) 1 B) 2 C) 3,C\n", inText)).problems[0]?.grading).toEqual(
    inText.grading,
  );
});

test("golds as graders take them: worked solutions, numbers of any size, LaTeX, texts", async () => {
  const gsm8k =
    '{"question":"q","gold":"It is 9 * 2 = 18.\\n#### 1,018"}\n{"question":"r","gold":"123456789012345678901"}';
  expect((await read("a.jsonl", gsm8k, numeric)).problems).toMatchObject([
    { gold: "1018", solution: "It is 9 * 2 = 18." },
    { gold: "123456789012345678901" },
  ]);
  const graders = { maths: mathsGrader() };
  onTestFinished(() => graders.maths.close());
  const right = async (reply: string, { problems }: OpenedProblems): Promise<boolean> =>
    (await gradeAnswer(reply, problems[0] as BenchmarkProblem, graders)).correct;
  const half = await read("a.csv", "question,gold\nhalf?,\\frac{1}{2}\n", {
    grading: { kind: "maths", tolerance: 0.01 },
  });
  expect([await right("\\boxed{0.505}", half), await right("\\boxed{0.52}", half)]).toEqual([true, false]);
  const place = await read("a.csv", "question,gold\nwhere?,Paris\n", { grading: { kind: "text", ignoreCase: true } });
  expect([await right("#### paris", place), await right("#### Rome", place)]).toEqual([true, false]);
});

test("code: tests as a text or a list of asserts; a question in words does not come before the program", async () => {
  const rows = [
    { question: 'def f(x):\n    """Twice x."""\n', gold: "def check(f):\n    assert f(1) == 2\n", entry_point: "f" },
    { question: "Write g, which adds one.", gold: ["assert g(1) == 2", "assert g(2) == 3"], entry_point: "g" },
  ];
  const { problems } = await read("a.json", JSON.stringify(rows), { grading: "code" });
  expect(problems.map(({ grading }) => grading)).toEqual([
    { kind: "code", prompt: rows[0]?.question, test: rows[0]?.gold, entryPoint: "f" },
    { kind: "code", prompt: "", test: "assert g(1) == 2\nassert g(2) == 3", entryPoint: "g", testCallsItself: true },
  ]);
});

test.each(refusals.refused)("%s %j is refused", async (name, content, options, reason) => {
  expect(await refusal(name, content, options)).toContain(reason);
});

test("bytes that are no UTF-8, files that are not there", async () => {
  const latin = Buffer.from("question,gold\ncaf\u00e9,1\n", "latin1");
  expect(await refusal("a.csv", latin, numeric)).toContain("a.csv: is not UTF-8; save it as CSV UTF-8");
  await expect(openProblems("/no/such/file.csv", numeric)).rejects.toMatchObject({
    code: "data_invalid",
    message: "/no/such/file.csv: file not found",
  });
  await expect(openProblems(tmpdir(), numeric)).rejects.toThrow(/is a folder/u);
});

test("lenient mode leaves rows out and lists them; ids of the others stay", async () => {
  const text = '{"question":"q","gold":1}\n{"question":"r","gold":"x"}\n{"question":"s","gold":3}\n';
  const path = await saved("a.jsonl", text);
  await expect(openProblems(path, numeric)).rejects.toMatchObject({ detail: { file: path, row: 2, refused: 1 } });
  const { problems, refused } = await openProblems(path, { ...numeric, mode: "lenient" });
  expect(problems.map(({ id }) => id)).toEqual(["row/1", "row/3"]);
  expect(refused).toEqual([{ file: path, row: 2, reason: expect.stringContaining("is not a number") as string }]);
  expect(await refusal("a.jsonl", '{"question":"r"}', { ...numeric, mode: "lenient" })).toContain("no row is left");
});

test("views, group and metadata of a row reach its problem: objects, JSON in cells, a column for each agent", async () => {
  const extras = ({ problems }: OpenedProblems): unknown[] =>
    problems.map(({ views, group, metadata }) => ({ views, group, metadata }));
  const lines = [
    {
      question: "k?",
      gold: "6",
      views: { a: "k is 6", b: 7 },
      group: "easy",
      metadata: { source: { page: 3 } },
      other: 1,
    },
    { question: "m?", gold: "2" },
  ];
  const jsonl = lines.map((line) => JSON.stringify(line)).join("\n");
  const [whole, bare] = [
    { views: { a: "k is 6", b: "7" }, group: "easy", metadata: { source: { page: 3 } } },
    { views: undefined, group: undefined, metadata: undefined },
  ];
  expect(extras(await read("a.jsonl", jsonl, numeric))).toEqual([whole, bare]);

  const cell = (value: unknown): string => `"${JSON.stringify(value).replaceAll('"', '""')}"`;
  const { views, metadata } = lines[0] as (typeof lines)[0];
  const csv = `question,gold,views,group,metadata\nk?,6,${cell(views)},easy,${cell(metadata)}\nm?,2,,,\n`;
  expect(extras(await read("a.csv", csv, numeric))).toEqual([whole, bare]);

  const apart = 'question,gold,of_a,of_b,level,tags\nk?,6,k is 6,,3,"[1, 2]"\n';
  const columns = { views: { a: "of_a", b: "of_b" }, metadata: ["level", "tags"], group: "level" };
  expect(extras(await read("b.csv", apart, { ...numeric, columns }))).toEqual([
    { views: { a: "k is 6" }, group: "3", metadata: { level: "3", tags: [1, 2] } },
  ]);
});

test.each([
  [{ views: "k is 6" }, {}, 'views is "k is 6", expected an object'],
  [{ views: { a: { b: 1 } } }, {}, "views.a is an object; name what is meant in it"],
  [{ metadata: [1] }, {}, "metadata is a list, expected an object"],
  [
    { level: 1 },
    { metadata: ["levl"] },
    "levl is not a column; the row has question, gold, level: columns.metadata names another, such as level",
  ],
  [
    { of_a: 1 },
    { views: { a: "ofa" } },
    "ofa is not a column; the row has question, gold, of_a: columns.views.a names another, such as of_a",
  ],
  [{}, { group: "level" }, "level is not a column"],
])("a row with %j, read by %j, is refused", async (more, columns, reason) => {
  const line = JSON.stringify({ question: "k?", gold: "6", ...more });
  expect(await refusal("a.jsonl", line, { ...numeric, columns })).toContain(reason);
});
