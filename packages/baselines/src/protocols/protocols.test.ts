import type { ChatMessage } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { lastNumber, play as playTeam } from "../../test/play.ts";
import {
  baselineNamed,
  baselines,
  departures,
  describeProtocol,
  protocolFor,
  protocolName,
  type AnswerReader,
  type BaselineOptions,
  type Exemplar,
  type Family,
  type Protocol,
} from "../index.ts";

const published = baselines.flatMap((method) => (method.protocols ? [{ ...method, protocols: method.protocols }] : []));
const all = published.flatMap(({ name, protocols }) => protocols.map((protocol) => ({ method: name, protocol })));
const families: readonly Family[] = ["maths", "choice", "code", "text"];

describe("protocols are data", () => {
  test.each(all)("$method, $protocol.id: JSON values, named once, with sources", ({ method, protocol }) => {
    expect(JSON.parse(JSON.stringify(protocol))).toEqual(protocol);
    expect(all.filter((item) => item.protocol.id === protocol.id)).toHaveLength(1);
    expect([protocol.source, ...protocol.prompts, protocol.hears].filter((text) => text.trim() === "")).toEqual([]);
    expect(describeProtocol(protocol).name).toBe(`${protocol.id}@${protocol.version}`);
    expect(protocol.calls.least).toBeLessThanOrEqual(protocol.calls.most);
    const [family] = protocol.families as readonly [Family];
    const asked = { family, ...(protocol.benchmarks && { benchmark: protocol.benchmarks[0] as string }) };
    // What a plan counts with is what the protocol says.
    expect(baselineNamed(method).maxCalls(asked)).toBe(protocol.calls.most);
  });

  test.each(published.map(({ name, protocols }) => ({ name, protocols })))(
    "$name has one protocol for all kinds of question; a protocol for a benchmark comes first",
    ({ protocols }) => {
      for (const family of families) expect(protocolFor(protocols, { family }).families).toContain(family);
      for (const { benchmarks = [], families: own, id } of protocols)
        for (const benchmark of benchmarks)
          expect(protocolFor(protocols, { family: own[0] as Family, benchmark }).id).toBe(id);
    },
  );

  test("a kind of question without a protocol is refused", () => {
    const code = all.filter(({ protocol }) => protocol.families.every((family) => family === "code"));
    expect(() =>
      protocolFor(
        code.map(({ protocol }) => protocol),
        { family: "maths" },
      ),
    ).toThrow(/has a protocol for maths questions/u);
  });
});

test("departures: the protocol's own, and what the settings of a run changed", () => {
  const of = (method: string, family: Family, benchmark?: string): Protocol =>
    protocolFor(baselineNamed(method).protocols ?? [], { family, ...(benchmark && { benchmark }) });
  const ours = "Prompts differ: ours, as none are published.";
  const own8 = { temperature: null, maxTokens: 1024, shots: 8 };
  const published8 = { ...own8, benchmark: "gsm8k", script: "cot-word" };
  expect(departures(of("cot", "maths"), published8)).toEqual([]);
  expect(departures(of("cot", "maths"), { ...published8, temperature: 0, maxTokens: 4096 })).toEqual([]);
  expect(departures(of("cot", "maths"), { ...published8, temperature: 0, maxTokens: 9 })).toEqual([
    "Reply limit differs: 9 tokens, published none.",
  ]);
  expect(departures(of("cot", "maths"), { ...own8, temperature: 0.5, shots: 0 })).toEqual([
    ours,
    "Temperature differs: 0.5, published 0.",
    "Worked examples differ: 0, published 8.",
  ]);
  expect(
    departures(of("php", "choice", "aqua"), { ...own8, benchmark: "aqua", script: "php-aqua", maxTokens: 512 }),
  ).toEqual(["Reply limit differs: 512 tokens, published 1024."]);
  expect(departures(of("self-refine", "maths", "gsm8k"), { temperature: 0, maxTokens: 600, shots: 0 })).toEqual([
    ours,
    expect.stringContaining("restarts the question"),
    expect.stringContaining("any program was right"),
    expect.stringContaining("Fences"),
    "Temperature differs: 0, published 0 and 0.7.",
  ]);
  expect(departures(of("role-assignment", "code"), { ...own8, maxTokens: 4096, shots: 0 })).toEqual([
    ours,
    expect.stringContaining("JSON"),
    "ADAS plays no functions to complete: the experts are ours.",
  ]);
  expect(protocolName(of("php", "maths"))).toBe("php/maths@1");
});

const reader = lastNumber;
const form = 'End with a line "#### N".';

/** The nth of a pool of twenty: every fourth has four steps, the others one. */
const pool = Array.from({ length: 20 }, (_, i): Exemplar => ({
  question: `question ${i}?`,
  solution: i % 4 === 3 ? "a\nb\n\nc\nd" : "a",
  answer: String(100 + i),
  answerLine: `#### ${100 + i}`,
}));

async function play(
  name: string,
  reply: (call: number, system: string) => string,
  input: Partial<BaselineOptions> = {},
) {
  const { create, temperature } = baselineNamed(name);
  const team = create({ reader, answerForm: form, maxTokens: 4096, family: "maths", exemplars: pool, ...input });
  const { calls, episode } = await playTeam(team, ({ system }, call) => reply(call, system), { id: "q", temperature });
  return { requests: calls.map(({ request }) => request), chats: calls.map(({ messages }) => messages), episode };
}

const shown = (chat: readonly ChatMessage[] = []): string[] =>
  chat.filter(({ role }) => role === "user").map(({ content }) => content);

test("Complex CoT chooses by steps from the pool, and its prompts differ from CoT's at 8 shots and at none", async () => {
  const [complex, cot] = [await play("complex-cot", () => "7"), await play("cot", () => "7")];
  const steps = [3, 7, 11, 15, 19, 0, 1, 2].map((i) => `question ${i}?`);
  expect(shown(complex.chats[0])).toEqual([...steps, "How many?"]);
  expect(shown(cot.chats[0])).toEqual([...Array.from({ length: 8 }, (_, i) => `question ${i}?`), "How many?"]);
  for (const shots of [0, 8]) {
    const chats = await Promise.all(["complex-cot", "cot"].map((name) => play(name, () => "7", { shots })));
    expect(chats[0]?.chats).not.toEqual(chats[1]?.chats);
  }
  expect(shown((await play("complex-cot", () => "7", { family: "choice", benchmark: "aqua" })).chats[0])).toHaveLength(
    9,
  );
});

test("Complex CoT, sampled: of fifty chains the forty with most steps vote", async () => {
  const replies = (call: number): string => (call < 24 ? `x\ny\n${call < 12 ? 3 : 4}` : call < 35 ? "5" : "x\ny\nz\n4");
  const { requests, episode } = await play("complex-cot:sampled", replies);
  expect([requests.length, requests[0]?.sampling.temperature]).toEqual([50, 0.7]);
  // 12 of 3, 27 of 4, 11 of 5, of which the first alone is among the forty.
  expect(reader.read(episode.answer ?? "")).toBe("4");
  const few = await play("complex-cot:sampled", (call) => (call < 4 ? "5" : "x\ny\n6"), { samples: 5 });
  expect([few.requests.length, reader.read(few.episode.answer ?? "")]).toEqual([5, "5"]);
  // Five to five, and the first seen would win: of the eight that are kept the longer ones are five.
  const ten = await play("complex-cot:sampled", (call) => (call < 5 ? "5" : "x\ny\n6"), { samples: 10 });
  expect(reader.read(ten.episode.answer ?? "")).toBe("6");
});

test("a few-shot reply ends with the answer line that the system message demands, once", async () => {
  for (const name of ["vanilla:few-shot-answers", "cot", "complex-cot", "sc", "php"]) {
    const { chats } = await play(name, () => "7");
    for (const chat of chats) {
      const replies = chat.filter(({ role }) => role === "assistant").map(({ content }) => content);
      expect([name, replies.length]).toEqual([name, 8]);
      for (const content of replies) expect(content).toMatch(/(?:^|\n)#### \d+$/u);
      expect(chat[0]?.content).toContain(form);
    }
  }
  const twice = [{ ...(pool[0] as Exemplar), solution: "a\n#### 100\n" }];
  expect((await play("cot", () => "7", { exemplars: twice })).chats[0]?.[2]?.content).toBe("a\n#### 100");
});

test("Vanilla obeys --shots: answers without a word of reasoning", async () => {
  expect(shown((await play("vanilla", () => "7")).chats[0])).toEqual(["How many?"]);
  const { chats } = await play("vanilla", () => "7", { shots: 3 });
  expect(chats[0]?.map(({ role, content }) => [role, content]).slice(1, 5)).toEqual([
    ["user", "question 0?"],
    ["assistant", "#### 100"],
    ["user", "question 1?"],
    ["assistant", "#### 101"],
  ]);
  expect(chats[0]).toHaveLength(8);
  const aqua = await play("vanilla:few-shot-answers", () => "7", { family: "choice", benchmark: "aqua" });
  expect(shown(aqua.chats[0])).toHaveLength(5);
});

test("PHP: examples carry hints, right and wrong; the question every earlier answer, normalised, letters in parentheses", async () => {
  const { chats } = await play("php", (call) => ["7.50", "none", "8.0", "9", "9.00"][call] ?? "");
  expect(shown(chats[0]).some((text) => text.includes("Hint"))).toBe(false);
  const hinted = shown(chats[4]);
  expect(hinted.at(-1)).toBe("How many?\n\n(Hint: the answer is near to 7.5, 8, 9.)");
  const own = ["103", "107", "111", "115", "119", "100", "101", "102"];
  const right = hinted.slice(0, 8).map((text, i) =>
    /near to (.*)\.\)/u
      .exec(text)?.[1]
      ?.split(", ")
      .includes(own[i] as string),
  );
  expect(right).toEqual([true, false, false, true, true, false, false, true]);
  expect(chats[4]?.[4]?.content).toMatch(/^The hints are \d+, \d+\./u);
  expect(chats).toHaveLength(5);
  const letters: AnswerReader = { read: (reply) => /^[A-E]$/u.exec(reply)?.[0] ?? null, same: (a, b) => a === b };
  const input = { reader: letters, family: "choice", benchmark: "aqua" } as const;
  const choice = await play("php", (call) => ["A", "B", "B"][call] ?? "", input);
  expect(shown(choice.chats[2]).at(-1)).toContain("near to (A), (B).");
});

test("PHP ends at its cap, and says so", async () => {
  const { requests, episode } = await play("php", (call) => String(call));
  expect([requests.length, episode.notes]).toEqual([10, ["capped"]]);
  expect((await play("php", () => "7")).episode.notes).toBeUndefined();
  expect(requests.every(({ sampling }) => sampling.temperature === 0 && sampling.maxTokens === 1024)).toBe(true);
});

const critic = (system: string): boolean => system.startsWith("Review");

test("Self-Refine as ADAS plays it: 11 calls at most, the critic reads the latest attempt alone, the solver all", async () => {
  const { chats, episode, requests } = await play("self-refine", (call, system) =>
    critic(system) ? `{"feedback": "comment ${call}", "correct": "False"}` : `attempt ${call}`,
  );
  expect([requests.length, episode.notes, episode.answer]).toEqual([11, ["capped"], "attempt 10"]);
  const [lastCritic, lastSolver] = [shown(chats[9])[0] ?? "", shown(chats[10])[0] ?? ""];
  expect(lastCritic.match(/attempt \d+/gu)).toEqual(["attempt 8"]);
  expect(lastSolver.match(/attempt \d+|comment \d+/gu)).toEqual(
    [0, 2, 4, 6, 8].flatMap((i) => [`attempt ${i}`, `comment ${i + 1}`]),
  );
  const stopped = await play("self-refine", (_, system) =>
    critic(system) ? '{"feedback": "", "correct": "True"}' : "7",
  );
  expect([stopped.requests.length, stopped.episode.answer]).toEqual([2, "7"]);
  const unread = await play("self-refine", (_, system) => (critic(system) ? "It is correct: True" : "7"));
  expect([unread.requests.length, unread.episode.notes?.[0]]).toEqual([11, "unread criticism"]);
});

const program = (value: number): string => `\`\`\`python\ndef solution():\n    return ${value}\n\`\`\``;

test("Self-Refine by programs: 1 + 4 calls, its own temperatures and ceilings, the last program's output", async () => {
  const ran: string[] = [];
  const runProgram = async (code: string) => {
    ran.push(code);
    return { output: `${/return (\d+)/u.exec(code)?.[1]}\n`, error: null };
  };
  const input = { benchmark: "gsm8k", runProgram };
  const worst = await play("self-refine", (call) => `There is an error.\n${program(call)}`, input);
  expect(worst.requests.map(({ sampling }) => [sampling.temperature, sampling.maxTokens])).toEqual([
    [0, 300],
    ...Array.from({ length: 4 }, () => [0.7, 600]),
  ]);
  expect([worst.episode.answer, worst.episode.notes, ran.length]).toEqual(["4", ["capped"], 1]);
  // Each exchange stands before the next as an example.
  expect(shown(worst.chats[4])[0]?.match(/Question:\n/gu)).toHaveLength(4);
  const stopped = await play(
    "self-refine",
    (call) => (call === 0 ? program(3) : `It is correct.\n${program(9)}`),
    input,
  );
  expect([stopped.requests.length, stopped.episode.answer]).toEqual([2, "9"]);
  const failing = { ...input, runProgram: async () => ({ output: "7", error: "NameError" }) };
  const failed = await play("self-refine", () => program(3), failing);
  expect([failed.episode.answer, failed.episode.notes]).toEqual([null, ["capped", "program without output"]]);
  expect(() =>
    baselineNamed("self-refine").create({
      reader,
      answerForm: form,
      maxTokens: 9,
      family: "maths",
      benchmark: "gsm8k",
    }),
  ).toThrow(/pass runProgram/u);
});

test("Self-Refine in released words: a draft up to an empty line, each exchange as a further example, fences taken off", async () => {
  const ran: string[] = [];
  const runProgram = async (code: string) => {
    ran.push(code);
    return { output: "9", error: null };
  };
  const texts = {
    init: "EXAMPLES\n\n\n\n",
    question: "# Ask: ",
    solution: "# Write:\n",
    between: "\n\n",
    feedback: "CRITICISMS\n",
    instruction: "# What is wrong?",
    end: "\n\nEND\n\n",
    stop: "END",
    head: "def solution():",
  };
  const input = { benchmark: "gsm8k", runProgram, script: { name: "own", examples: 8, texts, sha256: "" } };
  const fixed = "```python\ndef solution():\n    return 9\n```";
  const { chats, requests, episode } = await play(
    "self-refine",
    (call) => [program(3), "I see none.", `Wrong.\n${fixed}\nEND of it`, `It is correct.\n${fixed}`][call] ?? "",
    input,
  );
  const asked = chats.map((chat) => chat.map(({ role, content }) => `${role}: ${content}`));
  const [drafted, exchange] = [program(3), "def solution():\n    return 9\n```"];
  expect(asked).toEqual([
    ["user: EXAMPLES\n\n\n\n# Ask: How many?\n# Write:\n"],
    [`user: CRITICISMS\n${drafted}\n\n# What is wrong?`],
    [`user: CRITICISMS\n${drafted}\n\n# What is wrong?`],
    [
      `user: CRITICISMS\n${drafted}\n\n# What is wrong?\n\nWrong.\n\`\`\`python\n\n\n${exchange}\n\nEND\n\n${exchange}\n\n# What is wrong?`,
    ],
  ]);
  expect(requests.map(({ sampling }) => sampling.stop)).toEqual([["\n\n"], ["END"], ["END"], ["END"]]);
  expect([episode.answer, episode.notes, ran]).toEqual([
    "9",
    ["feedback without a program"],
    ["def solution():\n    return 9\n\nprint(solution())\n"],
  ]);
});

test("Role Assignment offers mathematicians on maths alone", async () => {
  const offered = async (family: Family, benchmark: string): Promise<string> =>
    (await play("role-assignment", () => "7", { family, benchmark })).chats[0]?.[0]?.content ?? "";
  expect(await offered("maths", "gsm8k")).toContain("Math Professor, Grade School Teacher, Math Enthusiast.");
  expect(await offered("choice", "aqua")).toContain("Math Professor");
  for (const [family, benchmark] of [
    ["choice", "mmlu-153"],
    ["code", "humaneval"],
    ["text", "own"],
  ] as const)
    expect(await offered(family, benchmark)).not.toMatch(/math/iu);
  const named = await play("role-assignment", () => "biology!", { family: "choice", benchmark: "mmlu" });
  expect(named.chats[1]?.[0]?.content).toMatch(/^You are a Biology Expert\./u);
  const nobody = await play("role-assignment", () => "the chef", { family: "choice", benchmark: "mmlu" });
  expect(nobody.chats[1]?.[0]?.content).toMatch(/^You are a Science Generalist\./u);
  expect(nobody.episode.notes).toEqual(["no expert named"]);
});

test("a temperature of the caller's goes before those of all phases", async () => {
  const runProgram = async () => ({ output: "7", error: null });
  const { requests } = await play("self-refine", () => program(7), {
    benchmark: "gsm8k",
    runProgram,
    temperature: 0.5,
  });
  // The bench's episode has it too; here the episode's own stays.
  expect(new Set(requests.map(({ sampling }) => sampling.temperature)).size).toBe(1);
});
