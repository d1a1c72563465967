import { baselines } from "@laconic/baselines";
import { benchmarks } from "@laconic/benchmarks";
import { answerForm, answerReading, type AnswerKind } from "@laconic/grading";
import { randomFromSeed, type ChatTokenizer, type Topology } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test, vi } from "vitest";
import { teamNames, teamOf } from "@laconic/tasks/text";
import { openRunTask } from "./run-task.ts";

// The model's tokenizer is not what is tested here.
vi.mock("@laconic/hub/tokenizers", () => ({ loadTokenizer: async () => ({}) as ChatTokenizer }));

/** What a reply of each kind looks like: it lets votes and stop rules go on. */
const replies: Readonly<Record<AnswerKind["kind"], string>> = {
  numeric: "#### 7",
  letter: "The answer is B",
  maths: "\\boxed{7}",
  text: "#### Paris",
  code: "```python\ndef f():\n    return 7\n```",
  program: "```python\nprint(7)\n```",
  writing: "A short text.",
};

async function asked(topology: Topology, reply: string): Promise<{ agent: string; system: string; all: string }[]> {
  const seen: { agent: string; system: string; all: string }[] = [];
  const models = Object.fromEntries(
    topology.agents.map((agent) => [
      agent,
      scriptedModel(({ prompt }) => {
        if (prompt.kind !== "messages") throw new Error("expected a chat");
        const [system, all] = [
          prompt.messages[0]?.content ?? "",
          prompt.messages.map(({ content }) => content).join("\n"),
        ];
        seen.push({ agent, system, all });
        return { text: reply };
      }),
    ]),
  );
  const context = { models, sampling: { temperature: 1 }, random: randomFromSeed(0) };
  await topology.run({ id: "1", question: "What is it?", gold: "" }, context);
  return seen;
}

const cases = benchmarks.flatMap((benchmark) => teamNames.map((team) => ({ name: benchmark.name, benchmark, team })));

test.each(cases)("$team on $name: only the answering agent gets the benchmark's form", async (item) => {
  const { answer } = item.benchmark;
  const form = answerForm(answer);
  const options = { agents: 2, rounds: 2, replyTokens: 10, actorTokens: 10 };
  const team = teamOf(item.team, { ...options, answerForm: form, read: answerReading(answer).read });
  const prompts = await asked(team.topology, answer.kind === "maths" ? replies.numeric : replies[answer.kind]);
  const answerers = prompts.filter(({ agent }) =>
    /^(?:solver|actor|expert|debater-\d|agent-\d|layer-\d-agent-\d)$/u.test(agent),
  );
  expect(answerers.length).toBeGreaterThan(0);
  for (const { system } of answerers) expect(system.endsWith(`Reason step by step. ${form}`)).toBe(true);
  const forms = benchmarks.map((other) => answerForm(other.answer)).filter((other) => other !== form);
  for (const { all } of prompts) for (const other of forms) expect(all).not.toContain(other);
  expect(prompts.filter(({ all }) => all.includes("boxed")).length > 0).toBe(answer.kind === "maths");
});

test.each(benchmarks.map(({ name, answer }) => ({ name, answer })))(
  "published methods on $name: some instruction holds the form, none another's",
  async ({ answer }) => {
    const form = answerForm(answer);
    for (const method of baselines) {
      const team = method.create({ reader: answerReading(answer), answerForm: form, maxTokens: 10, tokens: 100 });
      const prompts = await asked(team, answer.kind === "maths" ? replies.numeric : replies[answer.kind]);
      expect(prompts.some(({ system }) => system.includes(form))).toBe(true);
      expect(prompts.some(({ all }) => all.includes("boxed"))).toBe(answer.kind === "maths");
    }
  },
);

test.each([
  { name: "writing", form: "tldr" },
  { name: "writing", form: "arxiv" },
  { name: "code", benchmark: "coophumaneval", turns: 1 },
  { name: "code", benchmark: "humaneval", turns: 1 },
] as const)("the two writers of %j put nothing into a box", async (settings) => {
  const { topology } = await openRunTask(settings, { testProblems: 0, modelFolder: "model" });
  const prompts = await asked(topology, "text");
  expect(prompts.map(({ agent }) => agent)).toHaveLength(2);
  for (const { system, all } of prompts) {
    expect(all).not.toMatch(/boxed|####|The answer is/u);
    expect(system).toMatch(settings.name === "code" ? /code alone/u : /summary|paragraph/u);
  }
});

test("each kind of answer has a separate form that its reader reads", () => {
  const kinds = new Map<string, AnswerKind>([
    ...benchmarks.map(({ answer }) => [answer.kind, answer] as const),
    ["text", { kind: "text" }], // of one's own data
  ]);
  expect(new Set(Array.from(kinds.values(), (answer) => answerForm(answer))).size).toBe(kinds.size);
  const read = [...kinds].map(([kind, answer]) => [
    kind,
    answerReading(answer).read(replies[kind as AnswerKind["kind"]]),
  ]);
  expect(Object.fromEntries(read)).toEqual({ ...replies, numeric: "7", letter: "B", maths: "7", text: "Paris" });
  expect(answerForm({ kind: "code" })).toMatch(/Python code block/u);
  expect(answerForm({ kind: "maths" })).toMatch(/boxed/u);
});
