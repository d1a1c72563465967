import { appendFile, readFile } from "node:fs/promises";
import { LaconicError, type Problem, type Reward } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { synchronousTurns } from "@laconic/topologies";
import { expect, test } from "vitest";
import { temporary } from "../../test/bench-run.ts";
import { markdownOf } from "../results/table.ts";
import { openRecordsOf } from "../record-file.ts";
import { pairRecords, runPairs, type PairBoard, type PairMethod } from "./run-pairs.ts";
import { pairTables, summarisePairs } from "./pair-tables.ts";

const problems: Problem[] = ["a", "b"].map((id) => ({ id, question: id, gold: id }));
const players = ["first", "second"].map((id) => ({ id, maxTokens: 4 }));
const topology = synchronousTurns(players, { turns: 1, transition: ({ question }) => [question, question] });

function ticking(): () => number {
  let now = 0;
  return () => (now += 500);
}

const says = (name: string, text: (question: string) => string): PairMethod => {
  const model = scriptedModel(({ prompt }) => {
    const question = prompt.kind === "messages" ? (prompt.messages.at(-1)?.content ?? "") : "";
    return { text: text(question) };
  });
  return { name, topology, models: { first: model, second: model }, sampling: { temperature: 1 }, config: name };
};

const reward: Reward = ({ outputs = {} }, { gold }) => {
  const right = Object.values(outputs).filter((text) => text === gold).length;
  return { team: { task: right / 2 }, measures: { right, "scheme/echo": right > 0 ? 1 : 0 } };
};

const options = () => ({ repeats: 1, seed: "0", clock: ticking() });

test("records hold scores, parts, outputs and costs; tables are their means", async () => {
  const path = await temporary();
  const board: PairBoard = {
    task: "echo",
    problems,
    reward,
    methods: [says("deaf", () => "x"), says("half", (question) => (question === "a" ? "a" : "x"))],
  };
  const file = await openRecordsOf(pairRecords, path);
  expect(await runPairs([board], file, options())).toBeNull();
  await file.close();
  expect([...file.records.values()].map(({ method, problem, score }) => [method, problem, score])).toEqual([
    ["deaf", "a", 0],
    ["half", "a", 1],
    ["deaf", "b", 0],
    ["half", "b", 0],
  ]);
  const [deaf, half] = summarisePairs(file.records.values());
  expect(deaf).toMatchObject({ method: "deaf", score: { value: 0 }, difference: null, samples: 2, scored: 2 });
  expect(half).toMatchObject({ score: { value: 0.5 }, difference: { value: 0.5 }, measures: { right: 1 }, calls: 2 });
  expect(half?.measures["scheme/echo"]).toBe(0.5);
  expect(half?.criticalSeconds).toBeGreaterThan(0);
  const [scores, costs] = pairTables([deaf, half].flatMap((each) => each ?? [])).map((table) => markdownOf(table));
  expect(scores).toContain("| team | reward, % | minus the first | n | right | scheme/echo |");
  expect(scores).toMatch(/\| half \| 50\.0 \[1\.3, 98\.7\] \| 50\.0 \[−82\.9, 98\.7\] \| 2 \| 1 \| 0.5 \|/u);
  expect(costs).toMatch(/\| deaf \| 2 \|.*\| 1× \|/u);
});

test("failed samples run again, scored ones do not; a torn line is skipped", async () => {
  const path = await temporary();
  let fails = true;
  let asked = 0;
  const moody: Reward = (episode, problem, context) => {
    asked += 1;
    if (fails && problem.id === "b") throw new Error("the judge is away");
    return reward(episode, problem, context);
  };
  const board = (): PairBoard => ({ task: "echo", problems, reward: moody, methods: [says("echo", (it) => it)] });
  let file = await openRecordsOf(pairRecords, path);
  expect(await runPairs([board()], file, options())).toBeNull();
  await file.close();
  expect([...file.records.values()].map(({ status, error }) => [status, error])).toEqual([
    ["scored", null],
    ["error", "the judge is away"],
  ]);
  await appendFile(path, '{"task":"ec');
  fails = false;
  file = await openRecordsOf(pairRecords, path);
  expect(await runPairs([board()], file, options())).toBeNull();
  await file.close();
  expect(asked).toBe(3);
  expect([...file.records.values()].map(({ status, attempt }) => [status, attempt])).toEqual([
    ["scored", 1],
    ["scored", 2],
  ]);
  expect((await readFile(path, "utf8")).split("\n")).toHaveLength(4);
});

test("an undecided reward is no score, and a refused request ends the bench", async () => {
  const undecided: PairBoard = {
    task: "t",
    problems,
    reward: () => ({ undecided: "no sandbox" }),
    methods: [says("echo", (it) => it)],
  };
  const file = await openRecordsOf(pairRecords, await temporary());
  const stopped = await runPairs([undecided], file, { ...options(), maxErrors: 1 });
  expect(stopped).toBe("2 samples have no score; the last one: no sandbox");
  const refused = scriptedModel(() => {
    throw new LaconicError("api_refused", "no such model");
  });
  const away = { ...says("away", () => ""), models: { first: refused, second: refused } };
  const board = { task: "u", problems, reward, methods: [away] };
  expect(await runPairs([board], file, options())).toBe("no such model");
  await file.close();
});

test("a prompt that the server refuses for its length fails its sample alone", async () => {
  const picky = says("picky", (question) => {
    if (question === "a") throw new LaconicError("api_refused", "too long", { status: 413 });
    return question;
  });
  const file = await openRecordsOf(pairRecords, await temporary());
  expect(await runPairs([{ task: "u", problems, reward, methods: [picky] }], file, options())).toBeNull();
  await file.close();
  expect([...file.records.values()].map(({ status }) => status)).toEqual(["error", "scored"]);
});
