import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import {
  accuracyTable,
  agentPoTable,
  csvOf,
  departureTable,
  differenceTable,
  latexOf,
  markdownOf,
  summarise,
  tokenTable,
  type SampleRecord,
} from "../index.ts";
import { publishedTokens, publishedAgentPo, agentPoFigures } from "../published.ts";
import { readRecords, sampleRecords } from "../record-file.ts";
import { temporary, run } from "../../test/bench-run.ts";
import { sharedFolder } from "../../../../test/temporary-folder.ts";

const folder = sharedFolder();
let records: readonly SampleRecord[] = [];
beforeAll(async () => {
  ({ records } = await run(join(folder, "samples.jsonl")));
});
function faithful(samples: readonly SampleRecord[]): SampleRecord[] {
  return samples.map((record) => ({ ...record, published: record.method, differs: [] }));
}

test("tables have ours with its interval and the published figure, in four forms; names contain no markup", () => {
  const hostile = faithful(records).map((record) => ({
    ...record,
    benchmark: record.benchmark === "gsm8k" ? "gsm8k" : "",
    method: record.method === "sc" ? '=<script>"|&' : record.method,
  }));
  const summaries = summarise(hostile);
  const tables = [accuracyTable, tokenTable, differenceTable].map((table) => table(summaries, String));
  expect(tables[0]?.rows[0]).toEqual(["vanilla", "83.3 [43.6, 97.0]", "85.40"]);
  expect(tables[0]?.rows.map(([name]) => name)).toContain("Agent-GSPO (published)");
  const [markdown, csv, latex] = [markdownOf, csvOf, latexOf].map((form) =>
    tables.map((table) => form(table)).join("\n"),
  );
  expect(markdown).toContain("| vanilla | 83.3 [43.6, 97.0] | 85.40 |");
  expect(csv).toContain(`"'=<script>""|&"`);
  expect(latex).toContain("\\begin{tabular}{lrr}");
});

test("a method that ran has its published figures in its row, and no other row for them", () => {
  const own = records.map((record) => ({
    ...record,
    benchmark: "gsm8k",
    method: record.method === "sc" ? "agent-gspo" : record.method,
  }));
  const { rows } = accuracyTable(summarise(faithful(own)), String);
  expect(rows.find(([name]) => name === "agent-gspo")?.[2]).toBe("96.02");
  expect(rows.map(([name]) => name)).not.toContain("Agent-GSPO (published)");
  expect(rows.map(([name]) => name)).toContain("AgentPrune-R (published)");
});

test("no published figure is shown if no method ran as published", () => {
  const own = records.map((record) => ({ ...record, benchmark: "gsm8k", published: null, differs: ["our words"] }));
  const cells = accuracyTable(summarise(own), String).rows.map(([name = "", , figure]) => [name, figure]);
  expect(cells.map(([name]) => name)).not.toContain("Agent-GSPO (published)");
  expect(new Set(cells.map(([, figure]) => figure))).toEqual(new Set([""]));
});

test("AgentPO's layout: Pass@1 by benchmark, their average, tokens per problem", () => {
  expect(agentPoTable(summarise(records), String)).toBeNull();
  const own = records.map((record, i) => ({
    ...record,
    benchmark: i % 2 ? "math500" : "aime24",
    method: "evoagent",
    problem: String(i),
    correct: i % 2 === 1,
  }));
  const table = agentPoTable(summarise(own), String);
  // Of two benchmarks: the published averages are of five, and do not stand beside it.
  expect(table?.columns).toEqual(["method", "aime24", "math500", "average of 2", "tokens / problem"]);
  expect(table?.rows[0]?.slice(0, 4)).toEqual(["evoagent", "0.0", "100.0", "50.0"]);
});

test("AgentPO's averages appear only with the same five benchmarks", () => {
  const [record] = records as [SampleRecord];
  const benchmarks = ["aime24", "math500", "olympiadbench", "minerva", "amc23"];
  const own = ["agentpo", "evoagent", "role-assignment", "vanilla"].flatMap((method) =>
    benchmarks.slice(method === "vanilla" ? 1 : 0).map((benchmark, i) => ({
      ...record,
      benchmark,
      method,
      correct: i === 0,
      promptTokens: 90,
      completionTokens: 10,
    })),
  );
  const actorOf = (): string => "meta-llama/Llama-3.1-8B-Instruct";
  const table = agentPoTable(summarise(faithful(own)), String, actorOf);
  const named = ["average of 5", "average, published", "tokens / problem", "tokens / problem, published"];
  expect(table?.columns.slice(6)).toEqual(named);
  // The paper's text: 31.5, 20.2 and 25.9 with Llama-3.1-8B; 1,522 and 19,519 tokens with it too.
  expect(table?.rows.map((row) => row.slice(6))).toEqual([
    ["20.0", "31.5", "100", "1,522"],
    ["20.0", "20.2", "100", "19,519"],
    ["20.0", "25.9", "100", ""],
    ["", "", "", ""],
  ]);
  // Another actor has the paper's figures of that actor, or none.
  const small = agentPoTable(summarise(faithful(own)), String, () => "llama3.2:3b");
  expect(small?.rows.map((row) => [row[7], row[9]])).toEqual([
    ["24.5", ""],
    ["17.3", ""],
    ["22.7", ""],
    ["", ""],
  ]);
  for (const other of [undefined, () => "gpt-4o"])
    expect(
      agentPoTable(summarise(faithful(own)), String, other)?.rows.every((row) => row[7] === "" && row[9] === ""),
    ).toBe(true);
});

test.for([
  ["hub:meta-llama/Llama-3.1-8B-Instruct@main", "Llama-3.1-8B"],
  ["Meta-Llama-3.1-8B-Instruct", "Llama-3.1-8B"],
  ["Qwen/Qwen2.5-Math-7B", "Qwen2.5-Math-7B"],
  ["Qwen/Qwen2.5-Math-7B-Instruct", undefined],
  ["Llama-3.1-70B", undefined],
  ["qwen-plus", "Qwen-Plus"],
] as const)("the actor %s is %s of AgentPO's text", ([model, actor]) => {
  expect(publishedAgentPo("agentpo", model)?.actor).toBe(actor);
  for (const { average } of agentPoFigures) expect(average).toBeGreaterThan(15);
});

test("tokens are next to published ones per question, with both numbers of questions", () => {
  const table = tokenTable(summarise(faithful(records)), String);
  const cell = (name: string): string | undefined => table.rows[0]?.[table.columns.indexOf(name)];
  const [tokens] = summarise(records).map((each) => each.promptTokens + each.completionTokens) as [number];
  expect(cell("n")).toBe("6");
  expect(cell("total of n")).toBe(tokens.toLocaleString("en-US"));
  expect(Number(cell("total / question"))).toBeCloseTo(tokens / 6, 1);
  expect([cell("total / question, published"), cell("n, published")]).toEqual(["2,654", "1,319"]); // 3.5e6 / 1,319
  expect(table.columns).not.toContain("total, published");
  expect(["php", "debate", "dylan", "agent-gspo"].map((method) => publishedTokens(method, "mmlu-153"))).toEqual(
    [2.6e6, 1.5e6, 1.2e6, 9.2e5].map((total) => ({ total, questions: 153 })),
  );
});

test("a pair that is not played as published prints no published figure, and says what differs", async () => {
  const summaries = summarise(records);
  expect(
    accuracyTable(summaries, String)
      .rows.slice(0, 2)
      .map(([name, , published]) => [name, published]),
  ).toEqual([
    ["vanilla", ""],
    ["sc", ""],
  ]);
  const tokens = tokenTable(summaries, String);
  expect(tokens.rows.map((row) => row[tokens.columns.indexOf("total / question, published")])).toEqual(["", ""]);
  expect(departureTable(summaries, String)?.rows).toEqual([
    ["gsm8k", "vanilla", "vanilla/zero-shot@1", expect.stringContaining("AgentPrune's harness, two calls a question")],
    [
      "gsm8k",
      "sc",
      "sc/maths@1",
      "Prompts differ: ours (run `laconic data get --exemplars`). Reply limit differs: 50 tokens, published none. Worked examples differ: 0, published 8.",
    ],
  ]);
  expect(departureTable(summarise(faithful(records)), String)).toBeNull();
  // Records of before it was kept say nothing, which is no reason to print a figure.
  const path = await temporary();
  const { protocol: _, shots: __, published: ___, differs: ____, notes: _____, ...old } = records[0] as SampleRecord;
  await writeFile(path, `${JSON.stringify(old)}\n`);
  const [earlier] = summarise((await readRecords(sampleRecords, path)).records.values());
  expect(earlier).toMatchObject({ protocol: null, published: null, differs: [expect.stringContaining("do not say")] });
});
