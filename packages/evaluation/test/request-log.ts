import { baselineNamed, type Baseline, type Family } from "@laconic/baselines";
import { familyOf, benchJobs, type BenchJob, type BenchSet, type BenchSettings } from "../src/index.ts";
import { givenTo, methodOptions, temperatureOf } from "../src/bench-parts.ts";
import { randomFromSeed, type AgentId, type ChatMessage, type CompletionRequest, type Episode } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";

export interface Slot {
  /** Number among its role; 0 if unique. */
  readonly number: number;
  readonly family: Family;
  readonly published: boolean;
}

/** Scripted n-th replies by role; other roles answer the question with small variations. */
export type SlotScripts = Readonly<Record<string, (call: number, programs: boolean, slot: Slot) => string | undefined>>;

const defaults: BenchSettings = { model: "m", methods: [], repeats: 1, seed: 0, temperature: null, maxTokens: 4096 };

/** Answers of solving roles: a wrong one, then the right one twice. */
const answers: Readonly<Record<string, readonly string[]>> = {
  maths: ["3 and 4 are 7.\n#### 7", "3 bags of 4.\nThat makes 12.\n#### 12.0", "#### 12"],
  programs: [
    "3 and 4.\n```python\ndef solution():\n    return 3 + 4\n```",
    "```python\ndef solution():\n    return 3 * 4\n```",
    "#### 12",
  ],
  choice: ["A duck?\nThe answer is A", "The answer is C", "The answer is C"],
  code: [
    "```python\ndef add(a, b):\n    return a - b\n```",
    "```python\ndef add(a, b):\n    return a + b\n```",
    "```python\ndef add(a, b):\n    return a + b\n```",
  ],
};

export interface PlayedQuestion {
  readonly asked: readonly Asked[];
  readonly ran: readonly string[];
  readonly job: BenchJob;
  readonly episode: Episode;
}

export async function playQuestion(
  method: Baseline,
  set: BenchSet,
  scripts: SlotScripts,
  input: Partial<BenchSettings> = {},
): Promise<PlayedQuestion> {
  const settings: BenchSettings = { ...defaults, ...input };
  const [job] = benchJobs([set], settings, method.equalTokens ? [method, baselineNamed("debate")] : [method]);
  if (!job) throw new Error("no question");
  const family = familyOf(job.problem.grading.kind);
  const asked: { agent: AgentId; request: CompletionRequest; reply: string }[] = [];
  const ran: string[] = [];
  const runProgram = async (program: string) => {
    ran.push(program);
    // Replaces an interpreter: subtraction fails every test, a program prints its last line, calls of failed tests
    // return -1, and all lines are valid Python.
    const fails = /return a - b/u.test(program) && /^assert/mu.test(program);
    const end = /\nprint\("(end-\d+)"\)$/u.exec(program)?.[1];
    const call = /print\("(output-\d+:)", eval/u.exec(program)?.[1];
    const valid = [...program.matchAll(/print\("(valid \d+)"\)/gu)].map(([, line]) => line);
    const output = call === undefined ? (end ?? "12\n") : `${call} -1\n`;
    return { output: valid.length > 0 ? valid.join("\n") : output, error: fails ? "AssertionError" : null };
  };
  const topology = method.create(
    methodOptions(
      {
        ...job,
        equalTokens: job.method.equalTokens ? { method: "team", setting: "whole", tokens: 1000, questions: 1 } : null,
      },
      settings,
      { runProgram },
    ),
  );
  const counts = new Map<string, number>();
  const programs = job.protocol?.runsPrograms === true;
  const solvers = answers[programs && family !== "code" ? "programs" : family] ?? [];
  const models = Object.fromEntries(
    topology.agents.map((agent) => [
      agent,
      scriptedModel((request) => {
        const script = scripts[agent.replace(/-\d+$/u, "")];
        // Solving seats alternate between the answers, so that teams do not agree at once.
        const key = script ? agent : "solvers";
        const call = counts.get(key) ?? 0;
        counts.set(key, call + 1);
        const number = Number(/-(\d+)$/u.exec(agent)?.[1] ?? 0);
        const slot = { family, number, published: job.script !== null };
        const reply = script?.(call, programs, slot) ?? solvers[Math.min(call, solvers.length - 1)] ?? "";
        asked.push({ agent, request, reply });
        return reply;
      }, agent),
    ]),
  );
  const episode = await topology.run(givenTo(job, job.problem), {
    models,
    sampling: { temperature: temperatureOf(job, settings) },
    random: randomFromSeed("requests"),
  });
  return { asked, ran, job, episode };
}

/**
 * All requests of a method for one question as text, in order: roles, temperatures, limits, messages and replies; then
 * the answer.
 */
export async function requestLog(method: Baseline, set: BenchSet, scripts: SlotScripts): Promise<string> {
  const { asked, ran, job, episode } = await playQuestion(method, set, scripts);
  const { protocol } = job;
  const heading = `==== ${method.name} on ${set.benchmark}, by ${protocol?.id ?? "no protocol"}, version ${protocol?.version ?? "none"} ====`;
  const end = [
    `==== answer: ${episode.answer ?? "none"}`,
    ...(episode.notes ? [`==== notes: ${episode.notes.join(", ")}`] : []),
    ...[...new Set(ran)].map((program) => `==== was run:\n${program}`),
  ];
  return [heading, ...callsText(asked), ...end, ""].join("\n\n");
}

export interface Asked {
  readonly agent: AgentId;
  readonly request: CompletionRequest;
  readonly reply: string;
}

/** Text of all calls: shared beginnings refer to an earlier call; repetitions of the last call are counted. */
function callsText(asked: readonly Asked[]): string[] {
  const chats = asked.map(({ request: { prompt } }) => (prompt.kind === "messages" ? prompt.messages : []));
  const same = (a: readonly ChatMessage[] = [], b: readonly ChatMessage[] = []): number => {
    const differs = a.findIndex(({ role, content }, i) => b[i]?.role !== role || b[i].content !== content);
    return differs < 0 ? a.length : differs;
  };
  return asked.map(({ agent, request: { sampling }, reply }, i) => {
    const chat = chats[i] ?? [];
    const earlier = chats.slice(0, i).map((other) => same(chat, other));
    const most = Math.max(0, ...earlier);
    const from = earlier.indexOf(most);
    // Short overlaps are repeated for readability.
    const skipped = most > 2 || most === chat.length ? most : 0;
    const shown = chat.slice(skipped).map(({ role, content }) => `[${role}]\n${content}`);
    const before =
      skipped > 0
        ? [
            `(${skipped === chat.length ? "all" : `the first ${skipped}`} of ${chat.length} messages as in call ${from + 1})`,
          ]
        : [];
    const head = `---- call ${i + 1}: ${agent}, temperature ${sampling.temperature}, at most ${sampling.maxTokens} tokens`;
    return [head, ...before, ...shown, `[reply]\n${reply}`].join("\n");
  });
}
