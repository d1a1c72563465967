import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { BenchmarkProblem } from "@laconic/benchmarks";
import { exemplarsNamed, filesOf } from "@laconic/benchmarks/exemplars";
import type { Problem } from "@laconic/core";
import { createSandbox } from "@laconic/sandbox";
import type { TeamTask } from "../src/task.ts";
import { expect, onTestFinished, test } from "vitest";
import { play } from "./play.ts";
import { cooperationReward } from "../src/text/cooperation.ts";
import { publishedPair } from "../src/text/published-pair.ts";
import { codeTask, writingTask } from "../src/text/pair-tasks.ts";
import type { TaskResources } from "../src/task-resources.ts";

const fetched = process.env["LACONIC_EXEMPLARS"];
const open = { folder: fetched ?? "", offline: true };
const resources: TaskResources = {
  testProblems: 0,
  modelFolder: null,
  remote: true,
  templateArguments: {},
  data: open,
  note: () => undefined,
};
const post: Problem = { id: "1", question: 'SUBREDDIT: r/own\n\nPOST: A {post} of "ours".\n\nTL;DR:', gold: "" };
const prompt = 'import math\n\n\ndef largest(xs: list, start=0):\n    """The largest of xs and start."""\n';
const grading = {
  kind: "code",
  prompt,
  entryPoint: "largest",
  test: "def check(candidate):\n    assert candidate([3, 1]) == 3\n    assert candidate([], 2) == 2\n",
} as const;
const program: BenchmarkProblem = { id: "2", question: prompt, gold: grading.test, grading };

async function askedFirst(task: TeamTask, problem: Problem): Promise<string[]> {
  const asked: string[] = [];
  await play(task.topology, problem, (_agent, _prompt, { prompt: given }) => {
    if (given.kind === "messages")
      asked.push(given.messages.map(({ role, content }) => `${role}: ${content}`).join("\n"));
    if (given.kind === "text") asked.push(`text: ${given.text}`);
    return "Said.";
  });
  return asked;
}

// Written by `npx vitest run packages/tasks/test/pair-requests -u`.
test("a pair gets the prompts of its log with our prompts", async () => {
  const writers = await Promise.all(
    (["tldr", "arxiv"] as const).map(async (form) => askedFirst(await writingTask({ form }, resources), post)),
  );
  const code = await codeTask({ benchmark: "humaneval", turns: 1 }, resources);
  const all = [...writers.flat(), ...(await askedFirst(code, program))];
  await expect(`${all.join("\n\n---\n\n")}\n`).toMatchFileSnapshot("requests/pairs.txt");
});

test("never replaces published prompts by ours silently", async () => {
  const nowhere = { ...resources, data: { folder: "/nowhere", offline: true } };
  await expect(writingTask({ form: "tldr", prompts: "published" }, nowhere)).rejects.toThrow(
    /get it with laconic data get --exemplars/u,
  );
});

/** Runs lines of Python in the folder of a fetched source, which print JSON. */
function original(source: string, lines: string, given: object): unknown {
  const [file] = filesOf(exemplarsNamed(source));
  const folder = join(open.folder, (file?.path ?? "").replace(/[^/]*$/u, ""));
  const code = `import ast, json, re, sys\nfrom typing import *\ngiven = json.load(sys.stdin)\n${lines}`;
  return JSON.parse(
    execFileSync("python3", ["-c", code], { cwd: folder, input: JSON.stringify(given), encoding: "utf8" }),
  ) as unknown;
}

const functions =
  "tree = ast.parse(open('train_magrpo.py').read())\n" +
  "tree.body = [each for each in tree.body if isinstance(each, ast.FunctionDef)]\n" +
  "exec(compile(tree, 'train_magrpo.py', 'exec'))\n" +
  "print(json.dumps([globals()[name](given['row']) for name in given['names']]))";

test.skipIf(!fetched).each([
  ["tldr", { prompt: post.question }, ["summary_agent_formatter", "elaboration_agent_formatter"]],
  ["arxiv", { abstract_text: post.question }, ["background_agent_formatter", "complementary_agent_formatter"]],
] as const)(
  "%s: writers receive the prompts of the published functions (LACONIC_EXEMPLARS)",
  async (form, row, names) => {
    const task = await writingTask({ form, prompts: "published" }, resources);
    const expected = original(`magrpo-${form}`, functions, { row, names }) as string[];
    expect(await askedFirst(task, post)).toEqual(expected.map((text) => `text: ${text}`));
  },
);

const withoutUsage = (text: string): string => text.replace(/- Aux usage:.*\n/u, "");
const helper = "def aux(xs):\n    return sorted(xs)";
const replies: readonly (readonly [string, string, string])[] = [
  [
    "all is well",
    helper,
    "def largest(xs, start=0):\n    best = aux(xs)\n    if not best:\n        return start\n    return best[-1]",
  ],
  ["the first test fails", helper, "def largest(xs, start=0):\n    return 7"],
  ["a wrapper", helper, "def largest(xs, start=0):\n    return aux(xs)"],
  ["no helper", "nothing", "def largest(xs, start=0):\n    return max([start, *xs])"],
  ["a helper without a result", "def aux(xs):\n    xs.sort()", "def largest(xs, start=0):\n    return 3"],
  ["no main function", helper, "def smallest(xs):\n    return 1"],
];

test.skipIf(!fetched)(
  "programmers receive the prompts of the published functions in both turns (LACONIC_EXEMPLARS)",
  async () => {
    const sandbox = await createSandbox({ concurrency: 2 });
    onTestFinished(() => sandbox.close());
    const pair = await publishedPair("code", open.folder);
    const row = { prompt, entry_point: grading.entryPoint };
    const names = ["aux_function_formatter", "main_function_formatter"];
    const first = original("magrpo-code", functions, { row, names });
    expect(pair.first(program)).toEqual(first);
    const again =
      "sys.path.insert(0, '.')\nfrom external.level_feedback import format_followup_prompts as f\n" +
      "print(json.dumps([f(given['prompt'], *each, given['test'], given['entry'], prompt_history_per_agent=[[p] for p in given['asked']], " +
      "response_history_per_agent=[[r] for r in each]) for each in given['replies']]))";
    // The released setting shows one assert.
    const shown = grading.test.split("\n").slice(0, 2).join("\n");
    const given = { prompt, test: shown, entry: "largest", asked: first, replies: replies.map(([, ...each]) => each) };
    const expected = original("magrpo-code", again, given) as string[][];
    const differing: string[] = [];
    for (const [i, [name, aux, main]] of replies.entries()) {
      const { report } = await cooperationReward({ aux, main }, grading, sandbox, { secondsPerTest: 2 });
      const [ours, theirs] = [pair.again(program, [[aux, main]], report), expected[i] ?? []];
      if (ours[1] !== theirs[1]) differing.push(name);
      expect(ours.map(withoutUsage), name).toEqual(theirs.map(withoutUsage));
    }
    // The named departure: the released check takes a result that is tested and indexed for one that nobody uses.
    expect(differing).toEqual(["all is well"]);
  },
);
