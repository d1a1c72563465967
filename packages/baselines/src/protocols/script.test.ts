import { expect, test } from "vitest";
import { play, type Call } from "../../test/play.ts";
import { baselineNamed, departures, protocolFor, scriptNameOf, type Family, type Script } from "../index.ts";
import { filled, withAnswerChoices } from "./script.ts";

/** Stands for published texts, which are not in this repository. */
const words = {
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
};
const script: Script = { name: "own", examples: 1, texts: words, sha256: "0" };

const reader = {
  read: (reply: string) => /answer is (\S+)/u.exec(reply)?.[1] ?? null,
  same: (a: string, b: string) => a === b,
};

async function asked(
  name: string,
  replies: readonly string[],
  { question = "How many?", family = "maths", benchmark = "gsm8k", texts = script.texts }: Partial<Asked> = {},
) {
  const ran: string[] = [];
  const team = baselineNamed(name).create({
    reader,
    answerForm: "OWN FORM",
    maxTokens: 99,
    family,
    benchmark,
    script: { ...script, texts },
    runProgram: async (program) => {
      ran.push(program);
      return { output: "4", error: null };
    },
  });
  const reply = (_: Call, call: number): string => replies[call % replies.length] ?? "";
  const { calls, episode } = await play(team, reply, { id: "q", question });
  return { chats: calls.map(({ messages }) => messages), answer: episode.answer, ran };
}

interface Asked {
  readonly question: string;
  readonly family: Family;
  readonly benchmark: string;
  readonly texts: Script["texts"];
}

const [system, user] = ["system", "user"] as const;

test("a request with published texts has no word of ours: examples and question in one message", async () => {
  for (const name of ["cot", "complex-cot", "sc", "sc:complex-cot", "vanilla:few-shot-answers"]) {
    const { chats } = await asked(name, ["The answer is 7"]);
    expect(chats[0], name).toEqual([
      { role: system, content: "SYSTEM" },
      { role: user, content: `${words.base}\n\nQuestion: How many?\nA:` },
    ]);
  }
});

test("hints follow the question in the order of the answers", async () => {
  const { chats } = await asked("php", ["The answer is 5", "The answer is 7", "The answer is 7"]);
  expect(chats.map((chat) => chat[1]?.content)).toEqual([
    `${words.base}\n\nQuestion: How many?\nA:`,
    `${words.hinted}\n\nQuestion: How many? (Hint: The answer is near to 5).\nA:`,
    `${words.hinted}\n\nQuestion: How many? (Hint: The answer is near to 5, 7).\nA:`,
  ]);
});

test("options follow the question as in Progressive-Hint", () => {
  expect(withAnswerChoices("Which?\nA) 7\nB) A) odd")).toBe("Which? Answer Choices: (A) 7 (B) A)  odd");
  expect(withAnswerChoices("Which?\nA) 5(x + 1)\nB) 6")).toBe("Which? Answer Choices: (A) 5 (x + 1)  (B) 6");
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

test("debaters with roles number and score what they read and get their options first", async () => {
  const mmlu = {
    economist: "ECONOMIST",
    system: "DEBATE",
    options: "{}: A) {}, B) {}",
    before: "BEFORE ",
    first: " FIRST",
    replies: " OTHERS:",
    ranked: " #",
    update: " UPDATE, {} scores like [[1, ...]]",
    rank: " RANK",
  };
  const { chats } = await asked("dylan", ["The answer is A", "The answer is B", "[1, 2]"], {
    question: "Which?\nA) this\nB) that",
    family: "choice",
    benchmark: "mmlu",
    texts: mmlu,
  });
  const first = chats.find(([chatMessage]) => chatMessage?.content === "ECONOMIST\nDEBATE");
  expect(first?.[1]?.content).toBe("BEFORE Which?: A) this, B) that FIRST");
  const later = chats[7]?.[1]?.content ?? "";
  expect(later.startsWith("BEFORE Which?: A) this, B) that OTHERS: #1: ```The answer is ")).toBe(true);
  expect(later.endsWith(" #7: ```The answer is A``` UPDATE, 7 scores like [[1, ...]]")).toBe(true);
});

const prune = {
  "Math Solver": "SOLVE",
  "Mathematical Analyst": "ANALYSE",
  "Programming Expert": "PROGRAM",
  "examples Math Solver": "SOLVED",
  ask: "\nQ:{question}",
  hint: "(NEAR",
  "hint end": ").",
  reply: "{id} as {role}: {output};",
  "earlier reply": "{id} was {role}: {output};",
  now: "NOW {all}",
  earlier: "BEFORE {all}",
  printed: "\nIT IS {answer}",
  "decision role": "TOP",
  "decision constraint": "DECIDE",
  "decision examples": "DECIDED",
  "decision system": "{role}. {constraint}",
  "decision task": "{examples} TASK {task} OUTPUTS {all}",
};

test("AgentPrune: roles and their examples, answers alone as a hint, what a program returns, and a decision", async () => {
  const replies = ["The answer is 4", "```python\nanswer = 4\n```"];
  const { chats, ran } = await asked("agentprune-c", replies, { texts: prune });
  expect(chats[0]).toEqual([
    { role: system, content: "SOLVE" },
    { role: user, content: "SOLVED\nQ:How many?(NEAR)." },
  ]);
  expect(chats[1]?.[1]?.content).toMatch(/^\nQ:How many\?NOW \w{4} as Math Solver: The answer is 4;$/u);
  expect(chats[5]?.[1]?.content).toMatch(/\(NEAR( 4)+\)\.$/u);
  expect(chats.at(-1)?.[0]?.content).toBe("TOP. DECIDE");
  expect(chats.at(-1)?.[1]?.content).toMatch(/^DECIDED TASK How many\? OUTPUTS (\w{4}: [^]+?\n\n){5}$/u);
  expect(ran).toContain('answer = 4\nprint(globals().get("answer"))');
});

test("AgentPrune's single agent is asked as its programmer, and decided on alike", async () => {
  const { chats } = await asked("vanilla:agentprune-direct", ["```python\nanswer = 4\n```"], { texts: prune });
  expect(chats[0]).toEqual([
    { role: system, content: "PROGRAM" },
    { role: user, content: "\nQ:How many?" },
  ]);
  expect(chats[1]?.[1]?.content).toMatch(/OUTPUTS \w{4}: ```python\nanswer = 4\n```\nIT IS 4\n\n$/u);
});

test("AgentPO: the hint follows the problem; the critic reads a draft, and the actor answers again with both", async () => {
  const hint = { hint: "REWRITE", solver: "SOLVE", problem: "P: {p} (H: {h})", suffix: " BOX {{}}" };
  const hinted = await asked("hint", ["a hint", "The answer is 4"], { benchmark: "math500", texts: hint });
  expect(hinted.chats.map((chat) => chat.map(({ content }) => content))).toEqual([
    ["REWRITE", "How many?"],
    ["SOLVE", "P: How many? (H: a hint) BOX {{}}"],
  ]);
  const critic = {
    ...hint,
    critic: "CRITIC",
    reviser: "AGAIN",
    draft: "Q: {q} S: {s}",
    problem: "P: {p} S: {s} C: {c}",
  };
  const replies = ["draft", "comment", "The answer is 4"];
  const { chats } = await asked("critic", replies, { benchmark: "math500", texts: critic });
  expect(chats.map((chat) => chat.map(({ content }) => content))).toEqual([
    ["SOLVE", "How many? BOX {{}}"],
    ["CRITIC", "Q: How many? S: draft"],
    ["AGAIN", "P: How many? S: draft C: comment BOX {{}}"],
  ]);
});

test("without its script a method is not as published, and one of unknown words never is", () => {
  const played = { temperature: null, maxTokens: 1024, shots: 8, benchmark: "gsm8k" };
  const of = (name: string, family: Family) => protocolFor(baselineNamed(name).protocols ?? [], { family });
  const cot = of("cot", "maths");
  expect(scriptNameOf(cot, "gsm8k")).toBe("cot-word");
  expect(departures(cot, { ...played, shots: null, script: "cot-word" })).toEqual([]);
  expect(departures(cot, played)).toEqual(["Prompts differ: ours (run `laconic data get --exemplars`)."]);
  expect(departures(cot, { ...played, benchmark: "math500" })).toEqual([
    "Prompts differ: ours, as none are published.",
  ]);
  expect(departures(of("evoagent", "code"), { ...played, shots: 0 })).toContain(
    "Prompts differ: ours, as none are published.",
  );
  expect(departures(of("equal-budget:votes", "maths"), { ...played, shots: 0 })).toEqual([]);
});
