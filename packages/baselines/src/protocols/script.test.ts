import { randomFromSeed, type ChatMessage } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { baselineNamed, departures, protocolFor, scriptNameOf, type Family, type Script } from "../index.ts";
import { filled, withAnswerChoices } from "./script.ts";

/** Stands for published texts, which are not in this repository. */
const texts = {
  system: "SYSTEM",
  base: "Question: one\nA: The answer is 1",
  hinted: "Question: one (Hint: near 2)\nA: The answer is 1",
  examples: "EXAMPLES",
  task: "\nTASK: ",
  before: "BEFORE ",
  replies: " OTHERS:",
  reply: " <{}>",
  update: " UPDATE {}",
  ranked: " #",
  rank: " RANK",
  ask: "ASK {} IN \\boxed{{answer}}",
  alone: "ALONE",
  "Math Solver": "SOLVER'S EXAMPLES",
};
const script: Script = { name: "own", examples: 1, texts, sha256: "0" };

const reader = {
  read: (reply: string) => /answer is (\S+)/u.exec(reply)?.[1] ?? null,
  same: (a: string, b: string) => a === b,
};

async function asked(
  name: string,
  replies: readonly string[],
  { question = "How many?", family = "maths", benchmark = "gsm8k" }: Partial<Asked> = {},
): Promise<{ readonly chats: (readonly ChatMessage[])[]; readonly answer: string | null }> {
  const chats: (readonly ChatMessage[])[] = [];
  const team = baselineNamed(name).create({
    reader,
    answerForm: "OWN FORM",
    maxTokens: 99,
    family,
    benchmark,
    script,
    runProgram: async () => ({ output: "4", error: null }),
  });
  const model = scriptedModel(({ prompt }, call) => {
    chats.push(prompt.kind === "messages" ? [...prompt.messages] : []);
    return replies[call % replies.length] ?? "";
  });
  const episode = await team.run(
    { id: "q", question, gold: "7" },
    {
      models: Object.fromEntries(team.agents.map((agent) => [agent, model])),
      sampling: { temperature: 0 },
      random: randomFromSeed(0),
    },
  );
  return { chats, answer: episode.answer };
}

interface Asked {
  readonly question: string;
  readonly family: Family;
  readonly benchmark: string;
}

const [system, user] = ["system", "user"] as const;

test("a request with published texts has no word of ours: examples and question in one message", async () => {
  for (const name of ["cot", "complex-cot", "sc", "sc:complex-cot", "vanilla:few-shot-answers"]) {
    const { chats } = await asked(name, ["The answer is 7"]);
    expect(chats[0], name).toEqual([
      { role: system, content: "SYSTEM" },
      { role: user, content: `${texts.base}\n\nQuestion: How many?\nA:` },
    ]);
  }
});

test("hints stand behind the question, in the order of the answers", async () => {
  const { chats } = await asked("php", ["The answer is 5", "The answer is 7", "The answer is 7"]);
  expect(chats.map((chat) => chat[1]?.content)).toEqual([
    `${texts.base}\n\nQuestion: How many?\nA:`,
    `${texts.hinted}\n\nQuestion: How many? (Hint: The answer is near to 5).\nA:`,
    `${texts.hinted}\n\nQuestion: How many? (Hint: The answer is near to 5, 7).\nA:`,
  ]);
});

test("options stand behind the question as Progressive-Hint writes them", () => {
  expect(withAnswerChoices("Which?\nA) 7\nB) A) odd")).toBe("Which? Answer Choices: (A) 7 (B) A) odd");
  expect(withAnswerChoices(" How many? ")).toBe("How many?");
});

test("DyLAN: examples in every message, replies between fences of the script, a ranker without a system message", async () => {
  const { chats } = await asked("dylan", ["The answer is 1", "The answer is 2", "The answer is 3", "[1, 2]"]);
  const question = "EXAMPLES\nTASK: How many?\nAnswer:";
  expect(chats[0]).toEqual([
    { role: system, content: "SYSTEM" },
    { role: user, content: question },
  ]);
  const second = chats[4]?.[1]?.content ?? "";
  expect(second.startsWith(`BEFORE ${question} OTHERS: <`)).toBe(true);
  expect([second.match(/<[^>]*>/gu)?.length, second.endsWith(" UPDATE {}")]).toEqual([4, true]);
  const ranking = chats[8] ?? [];
  expect([ranking.length, ranking[0]?.content.includes(" #1: ```"), ranking[0]?.content.endsWith(" RANK")]).toEqual([
    1,
    true,
    true,
  ]);
});

test("a debate asks and answers in the words of its script, whose braces are Python's", async () => {
  const { chats } = await asked("debate", ["The answer is 1", "The answer is 2", "The answer is {}"]);
  expect(chats[0]).toEqual([{ role: user, content: "ASK How many? IN \\boxed{answer}" }]);
  expect(chats[3]?.at(-1)?.content).toBe(" OTHERS: <The answer is 2> <The answer is {}> UPDATE How many?");
  expect(filled("{} {{}} {}", "{}", "b")).toBe("{} {} b");
});

test("a role of AgentPrune reads its own examples, the others none", async () => {
  const { chats } = await asked("agentprune-c", ["The answer is 4"]);
  expect(chats.filter(([, said]) => said?.content.startsWith("SOLVER'S EXAMPLES\n\nHow many?")).length).toBe(4);
});

test("without its script a method is not as published, and one of unknown words never is", () => {
  const played = { temperature: null, maxTokens: 1024, shots: 8, benchmark: "gsm8k" };
  const of = (name: string, family: Family) => protocolFor(baselineNamed(name).protocols ?? [], { family });
  const cot = of("cot", "maths");
  expect(scriptNameOf(cot, "gsm8k")).toBe("cot-word");
  expect(departures(cot, { ...played, shots: 0, script: "cot-word" })).toEqual([]);
  expect(departures(cot, played)).toEqual(["Wording and examples are ours instead of those of cot-word."]);
  expect(departures(cot, { ...played, benchmark: "math500" })).toEqual(["The wording of its requests is ours."]);
  expect(departures(of("evoagent", "maths"), { ...played, shots: 0 })).toContain(
    "The wording of its requests is ours.",
  );
  expect(departures(of("equal-budget:votes", "maths"), { ...played, shots: 0 })).toEqual([]);
});
