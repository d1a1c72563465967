import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomFromSeed, type ChatTokenizer, type Episode, type Problem } from "@laconic/core";
import { scriptedEpisode, scriptedModel } from "@laconic/core/testing";
import type { TeamTask } from "@laconic/tasks";
import { rewardOf } from "@laconic/trainer";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openRunTask } from "./run-task.ts";

// The model's tokenizer is not what is tested here.
vi.mock("@laconic/hub/tokenizers", () => ({ loadTokenizer: async () => ({}) as ChatTokenizer }));

const resources = { testProblems: 5, modelFolder: "model" };
const rewardFor = (task: TeamTask, answer: string | null, problem: Problem): unknown =>
  rewardOf(task)({ ...scriptedEpisode([{ agent: "a", text: "" }]), answer, problemId: problem.id }, problem, {
    signal: new AbortController().signal,
  });
const data = process.env["LACONIC_DATA"];
const context = { sampling: { temperature: 1 }, random: randomFromSeed(0) };

describe.skipIf(data === undefined)("tasks over benchmarks (LACONIC_DATA)", () => {
  test("training and validation problems are different ones, and graded as the benchmark says", async () => {
    const task = await openRunTask({ name: "benchmark", benchmark: "gsm8k", team: "hint" }, resources);
    const drawn = task.problems(randomFromSeed(1), 40);
    const held = new Set(task.testProblems.map(({ id }) => id));
    expect([drawn.length, held.size]).toEqual([40, 5]);
    expect(drawn.filter(({ id }) => held.has(id))).toEqual([]);
    const [problem] = task.testProblems;
    if (!problem) throw new Error("no problem");
    expect(await rewardFor(task, `so \\boxed{${problem.gold}}`, problem)).toEqual({ task: 1 });
    expect(await rewardFor(task, "so \\boxed{-12345}", problem)).toEqual({ task: 0 });
    expect(await rewardFor(task, null, problem)).toEqual({ task: 0 });
    await task.close?.();
  });

  test("a star's problems are dealt among its holders, the same in every run", async () => {
    const settings = { name: "benchmark", benchmark: "gsm8k", team: "star", agents: 2 } as const;
    const notes: string[] = [];
    const noting = { ...resources, note: (text: string) => void notes.push(text) };
    const [one, two] = [await openRunTask(settings, noting), await openRunTask(settings, resources)];
    expect(one.testProblems).toEqual(two.testProblems);
    expect(one.testProblems).toHaveLength(5);
    for (const { views = {} } of [...one.testProblems, ...one.problems(randomFromSeed(1), 7000)])
      expect(Object.keys(views)).toHaveLength(2);
    expect(notes).toEqual([
      expect.stringMatching(/^skipped: \d\d of 1,319 test problems of gsm8k state fewer than two facts/u),
      expect.stringMatching(/^skipped: \d{3} of 7,473 training problems of gsm8k/u),
    ]);
    for (const { views = {} } of one.testProblems)
      expect(Object.keys(views).every((id) => /^holder-[12]$/u.test(id))).toBe(true);
    await one.close?.();
    await two.close?.();
  });

  test.each(["mmlu", "mmlu-153", "aqua"] as const)(
    "%s: the question goes to all agents once, and each option to one holder",
    async (benchmark) => {
      const settings = { name: "benchmark", benchmark, team: "star", agents: 3 } as const;
      const task = await openRunTask(settings, { ...resources, testProblems: 20 });
      for (const problem of [...task.testProblems, ...task.problems(randomFromSeed(1), 20)]) {
        const holders = Object.keys(problem.views ?? {});
        expect(holders.length).toBeGreaterThanOrEqual(2);
        const letters = Object.values(problem.views ?? {}).flatMap((view) => view.match(/^[A-E](?=\) )/gmu) ?? []);
        expect(letters.toSorted().join("")).toBe(benchmark === "aqua" ? "ABCDE" : "ABCD");
        const asked: string[] = [];
        const model = scriptedModel(({ prompt }) => {
          if (prompt.kind === "messages") asked.push(prompt.messages.map(({ content }) => content).join("\n"));
          return { text: "The answer is A" };
        });
        const models = Object.fromEntries(task.topology.agents.map((agent) => [agent, model]));
        await task.topology.run(problem, { ...context, models });
        expect(asked).toHaveLength(4);
        for (const text of asked) expect(text.split(problem.question)).toHaveLength(2);
        expect(asked.at(-1)).toContain('End with "The answer is X"');
        expect(await rewardFor(task, `The answer is ${problem.gold}`, problem)).toEqual({ task: 1 });
      }
      await task.close?.();
    },
  );

  test("questions to learn on come from elsewhere than the test, and a file of problems takes their place", async () => {
    const folder = await temporaryFolder();
    vi.stubEnv("HF_HOME", folder);
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    onTestFinished(() => void vi.unstubAllEnvs());
    const settings = { name: "benchmark", benchmark: "math500", team: "solo" } as const;
    await expect(openRunTask({ ...settings, split: "train" }, resources)).rejects.toThrow(
      /hendrycks_math.* is not in/u,
    );
    const file = join(folder, "problems.jsonl");
    await writeFile(file, '{"question":"1+1?","gold":"2"}\n\n{"id":7,"question":"2+2?","gold":"4"}\n');
    const task = await openRunTask({ ...settings, file }, resources);
    const drawn = task.problems(randomFromSeed(0), 2).toSorted((a, b) => a.gold.localeCompare(b.gold));
    expect(drawn.map(({ question }) => question)).toEqual(["1+1?", "2+2?"]);
    expect(await rewardFor(task, "\\boxed{2}", drawn[0] as (typeof drawn)[0])).toEqual({ task: 1 });
    await task.close?.();
    await writeFile(file, '{"question":"Even?","choices":["one","two"],"gold":"2"}\n');
    const options = await openRunTask({ ...settings, file }, resources);
    expect(options.problems(randomFromSeed(0), 1)[0]?.question).toBe("Even?\nA) one\nB) two");
    await options.close?.();
    await expect(openRunTask({ ...settings, team: "star" as const, file }, resources)).rejects.toThrow(
      /1 of 1 training problems .*: no problem left/u,
    );
    await writeFile(file, '{"question":"1+1?","gold":"2"}\n{"question":1}\n');
    await expect(openRunTask({ ...settings, file }, resources)).rejects.toThrow(
      /problems\.jsonl row 2: gold is not a column/u,
    );
  });

  test("grades both texts of two writers together", async () => {
    const task = await openRunTask({ name: "writing", form: "tldr" }, resources);
    const [problem] = task.testProblems;
    if (!problem) throw new Error("no problem");
    const short = "We moved to the old house and it was cold there.";
    const long = `${short} However, because the rooms were warm in summer, we stayed for years and painted every wall blue.`;
    const models = { first: scriptedModel(() => ({ text: short })), second: scriptedModel(() => ({ text: long })) };
    const episode = await task.topology.run(problem, { ...context, models });
    const judge = (item: Episode): unknown => rewardOf(task)(item, problem, { signal: new AbortController().signal });
    expect(judge(episode)).toMatchObject({
      team: { task: expect.toSatisfy((grade: number) => grade > 0.5) as number },
    });
    expect(judge({ ...episode, answer: null, outputs: {} })).toMatchObject({ team: { task: 0 } });
    expect(task.game?.players.map(({ id }) => id)).toEqual(["first", "second"]);
  });

  test("helper and main function: the tests speak between the turns", async () => {
    const task = await openRunTask(
      { name: "code", benchmark: "coophumaneval", turns: 2 },
      { ...resources, testProblems: 2 },
    );
    const [problem] = task.testProblems;
    if (!problem) throw new Error("no problem");
    const asked: string[] = [];
    let turn = 0;
    const models = {
      helper: scriptedModel(() => ({
        text: "```python\ndef aux(n):\n    return n > 1 and all(n % i for i in range(2, n))\n```",
      })),
      main: scriptedModel(({ prompt }) => {
        if (prompt.kind === "messages") asked.push(prompt.messages.at(-1)?.content ?? "");
        const right = "def x_or_y(n, x, y):\n    prime = aux(n)\n    if prime:\n        return x\n    return y";
        return { text: turn++ === 0 ? "def x_or_y(n, x, y):\n    return x" : right };
      }),
    };
    const episode = await task.topology.run(problem, { ...context, models });
    expect(episode.answer).not.toContain("\u241e");
    expect(asked[0]).toContain("def x_or_y");
    expect(asked[1]).toMatch(/A reader says:\n\d of 5 tests pass\./u);
    const { signal } = new AbortController();
    expect(await rewardOf(task)(episode, problem, { signal })).toMatchObject({ team: { task: 1 } });
    await task.close?.();
  });
});

test.each([
  [{ benchmark: "tldr", team: "solo" }, "task.benchmark", /needs the texts of two writers: train task\.name=writing/u],
  [{ benchmark: "arxiv", team: "hint" }, "task.benchmark", /task\.form=arxiv/u],
  [{ benchmark: "livecodebench", team: "star" }, "task.team", /a program of livecodebench has one part/u],
  [{ benchmark: "gsm8k", team: "chain", agents: 1 }, "task.agents", /at least 2/u],
] as const)("%j is refused before anything is loaded", async (settings, key, reason) => {
  const opened = openRunTask({ name: "benchmark", ...settings }, { testProblems: 0, modelFolder: "model" });
  await expect(opened).rejects.toFailWith("config_invalid", reason, { key });
});

test("the run's budget reaches the agents of a team that is to be shown it", async () => {
  const settings = { name: "benchmark", benchmark: "gsm8k", team: "plain-debate", showBudget: true } as const;
  const { topology, trainedAgents, name } = await openRunTask(settings, {
    ...resources,
    testProblems: 0,
    targetTokens: 60,
  });
  expect([name, trainedAgents]).toEqual(["benchmark/gsm8k/plain-debate", ["debater-1", "debater-2", "debater-3"]]);
  const models = Object.fromEntries(topology.agents.map((agent) => [agent, scriptedModel("#### 4")]));
  const { utterances, outputs } = await topology.run({ id: "1", question: "2+2?", gold: "4" }, { ...context, models });
  expect(utterances[0]?.prompt).toContain("a budget of 60 tokens; none is written yet.");
  expect(utterances[3]?.prompt).toContain("a budget of 60 tokens; 21 are written, 39 are left.");
  expect(outputs).toEqual({ "debater-1": "#### 4", "debater-2": "#### 4", "debater-3": "#### 4" });
});

test("a benchmark needs a model with a tokenizer", async () => {
  const settings = { name: "benchmark", benchmark: "gsm8k", team: "solo" } as const;
  await expect(openRunTask(settings, { testProblems: 0, modelFolder: null })).rejects.toFailWith("config_invalid");
});
