import { randomFromSeed, type Episode, type LanguageModel, type Problem, type Sampler } from "@laconic/core";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import { readReward } from "@laconic/rewards";
import { parseTrainConfig, silentRecorder, runSpec, train, type TrainedPolicy } from "@laconic/trainer";
import { tabularModel, tabularPolicy, tinySettings, tinyTokenizer } from "@laconic/trainer/testing";
import { describe, expect, test } from "vitest";
import { play } from "../../test/play.ts";
import type { TeamTask } from "../task.ts";
import type { TaskResources } from "../task-resources.ts";
import { codeTask, writingTask } from "./pair-tasks.ts";

const data = process.env["LACONIC_DATA"] ?? "";
const resources = (testProblems: number): TaskResources => ({
  testProblems,
  modelFolder: null,
  remote: true,
  templateArguments: {},
  data: { folder: data, offline: true },
  note: () => undefined,
});
const problem: Problem = { id: "1", question: "A post.", gold: "" };

async function played(task: TeamTask, method: string, says: (agent: string) => string): Promise<[Episode, string[]]> {
  const topology = task.baselines?.[method];
  if (!topology) throw new Error(`no ${method}`);
  const { episode, asked } = await play(topology, problem, says);
  return [episode, asked.map(({ prompt }) => prompt)];
}

const words = (count: number, prefix: string): string =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`).join(" ");

describe("the writers' baselines", () => {
  test("a single model gets both tasks and a marker, and its text is graded like the pair's", async () => {
    const task = await writingTask({ form: "tldr" }, resources(0));
    const [first, second] = [words(10, "a"), `${words(16, "b")} a1 however a2 therefore`];
    const [alone, asked] = await played(task, "single", () => `${first}\n=== SECOND PART ===\n${second}`);
    expect(asked[0]).toBe(
      "You write two texts that go together. What each of them is to be:\n" +
        "1. Write a short summary of the post: one sentence.\n" +
        "2. Write a detailed summary of the post, about twice as long as a single sentence, and link its thoughts.\n" +
        "Reply with the first, then a line with nothing but === SECOND PART ===, then the second.\nA post.",
    );
    const [both] = await played(task, "concatenation", (agent) => (agent === "first" ? first : second));
    expect(alone.outputs).toEqual(both.outputs);
    const context = { signal: new AbortController().signal };
    const rewards = [alone, both].map((episode) => task.reward?.(episode, problem, context));
    expect(rewards[0]).toEqual(rewards[1]);
    // The levels are what is summed; what is summed is the grade alone.
    const outcome = readReward(rewards[0]);
    if (outcome.status !== "scored") throw new Error(outcome.status);
    const { team, measures = {} } = outcome.reward;
    expect(Object.keys(team)).toEqual(["task"]);
    const levels = Object.entries(measures).flatMap(([name, points]) => (name.startsWith("level/") ? [points] : []));
    expect(levels).toHaveLength(5);
    expect(levels.reduce((sum, points) => sum + points, 0) / 3).toBeCloseTo(outcome.value, 12);
    expect(measures["coherence"]).toBeCloseTo(0.45, 12);
    expect(measures["structure"]).toBe(1);
  });

  test("the second of a pipeline, and both in a discussion, read what the other wrote", async () => {
    const task = await writingTask({ form: "arxiv" }, resources(0));
    const [, pipeline] = await played(task, "pipeline", (agent) => `text of ${agent}`);
    expect(pipeline[1]).toMatch(
      /\nA post\.\n\nThe other one wrote:\ntext of first\n\nWrite your part, so that the two go together\.$/u,
    );
    const [, discussion] = await played(task, "discussion-1", (agent) => `text of ${agent}`);
    expect(discussion[2]).toMatch(
      /\ntext of first\nThe other one wrote:\ntext of second\n\nWrite your part again, so that the two go together\.$/u,
    );
  });
});

/** A policy that writes the program of the step, in every second reply; its tokens are a table's. */
function scriptedPolicy(agent: string, program: (reply: number) => string): TrainedPolicy {
  let replies = 0;
  const speak = (sampler: Sampler): LanguageModel => {
    const table = tabularPolicy(sampler, tinyTokenizer, agent);
    return {
      id: agent,
      complete: async (request) => {
        const completion = await table.complete({ ...request, prompt: { kind: "text", text: "0" } });
        return { ...completion, text: program(replies++) };
      },
    };
  };
  return {
    model: tabularModel({ vocabularySize: tinyTokenizer.vocabularySize, id: agent, seed: agent }),
    speak,
    agents: [agent],
  };
}

const aux = "def aux(*given):\n    return given";
const bodies = {
  none: "    x = 1\n    y = 2\n    return x + y",
  fallback: "    try:\n        return aux(given)\n    except Exception:\n        return 0",
  decorator: "    if not given:\n        return 0\n    return aux(given)",
  coordinator: "    parts = [aux(each) for each in given]\n    return parts",
  "strategy-filter": "    if aux(given):\n        return 1\n    return 0",
};
const schemes = ["fallback", "decorator", "coordinator", "strategy-filter"] as const;

test.skipIf(data === "")(
  "metrics show the share of cooperating programs by kind over training (LACONIC_DATA)",
  async () => {
    const task = await codeTask({ benchmark: "coophumaneval", turns: 1 }, resources(1));
    try {
      const [only] = task.problems(randomFromSeed(0), 1) as [BenchmarkProblem];
      const name = only.grading.kind === "code" ? only.grading.entryPoint : "";
      const rows: Readonly<Record<string, number>>[] = [];
      const main = (reply: number): string => {
        // Step by step another scheme, in every second program; none in the last step.
        const scheme = reply % 2 === 1 ? "none" : (schemes[rows.length] ?? "none");
        return `def ${name}(*given):\n${bodies[scheme]}`;
      };
      const config = parseTrainConfig({
        ...tinySettings,
        steps: 5,
        problemsPerStep: 1,
        episodesPerProblem: 4,
        prices: {},
        budget: null,
        evaluation: { every: 100, problems: 1, transcripts: 0 },
      });
      await train(
        runSpec({
          task: { ...task, problems: () => [only], pool: [only], testProblems: [] },
          policies: { helper: scriptedPolicy("helper", () => aux), main: scriptedPolicy("main", main) },
          settings: config,
        }),
        {
          recorder: silentRecorder((row) => rows.push(row)),
        },
      );
      expect(rows).toHaveLength(5);
      const shares = rows.map((row) => schemes.map((scheme) => row[`measures/scheme/${scheme}`]));
      expect(shares).toEqual([
        [0.5, 0, 0, 0],
        [0, 0.5, 0, 0],
        [0, 0, 0.5, 0],
        [0, 0, 0, 0.5],
        [0, 0, 0, 0],
      ]);
      for (const row of rows) {
        expect(row["measures/structure"]).toBeCloseTo(1, 12);
        expect(row["measures/syntax"]).toBe(0.5);
        const parts = ["structure", "syntax", "tests", "cooperation"].map((part) => row[`measures/${part}`] ?? 0);
        expect(parts.reduce((sum, part) => sum + part, 0) / 4).toBeCloseTo(row["rewards/task/mean"] ?? 0, 12);
      }
    } finally {
      await task.close?.();
    }
  },
);
