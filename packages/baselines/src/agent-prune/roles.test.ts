import type { Topology } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { baselineNamed, type BaselineOptions } from "../index.ts";
import { lastNumber, play as playTeam, wholeReply, type Call } from "../../test/play.ts";
import { scriptedPython } from "../../test/scripted-python.ts";

const options = { answerForm: "End with the number.", maxTokens: 400 };
const coding = 'def double(x):\n    """Twice x.\n    >>> double(2)\n    4\n    >>> double(5)\n    10\n    """\n';

const play = (team: Topology, answer: (call: Call, position: number) => string, question = "What is 40 + 2?") =>
  playTeam(team, answer, { question });

const teamOf = (name: string, input: Partial<BaselineOptions>): Topology =>
  baselineNamed(name).create({ reader: lastNumber, runProgram: scriptedPython, ...options, ...input });

describe("maths: solver, analyst, programming expert, inspector", () => {
  const program = "```python\nprint(40 + 2)\n```";
  const script = ({ system }: Call): string => (system.includes("Programming Expert") ? program : "I say 41");
  test("five agents in two rounds, the roles in turn, and a decision", async () => {
    const { calls } = await play(teamOf("agentprune-c", { family: "maths" }), script);
    const titles = calls.slice(0, 5).map(({ system }) => /You are an? ([\w ]+)\./u.exec(system)?.[1]);
    expect(titles).toEqual(["Math Solver", "Mathematical Analyst", "Programming Expert", "Inspector", "Math Solver"]);
    expect([calls.length, calls.at(-1)?.agent]).toEqual([11, "decision"]);
  });
  test("the program runs, and its output follows the reply to all readers", async () => {
    const { calls } = await play(teamOf("agentprune-c", { family: "maths" }), script);
    // The inspector hears the programming expert in the same round.
    expect(calls[3]?.user).toContain("> print(40 + 2)\n> ```\n> The answer is 42");
    expect(calls.at(-1)?.user).toContain("> The answer is 42");
    expect(calls[2]?.system).toContain("prints it alone");
    expect(calls[2]?.system).not.toContain(options.answerForm);
  });
  test("the solver reads only the answers of the others", async () => {
    const { calls } = await play(teamOf("agentprune-c", { family: "maths" }), script);
    expect(calls[0]?.user).toBe("What is 40 + 2?");
    // The fifth agent is a solver too: it hears four.
    expect(calls[4]?.user).toBe("What is 40 + 2?\n\n(Hint: the answer is near to 41, 41, 42, 41.)");
  });
  test("a failing program says so; where nothing is decided the run programs vote too", async () => {
    const failing = await play(teamOf("agentprune-c", { family: "maths" }), ({ system }) =>
      system.includes("Programming Expert") ? "```python\nraise ValueError()\n```" : "7",
    );
    expect(failing.calls[3]?.user).toContain("> The program failed: ValueError: no");
    const undecided = await play(teamOf("agentprune-c", { family: "maths" }), ({ system }) =>
      system.includes("Programming Expert") ? program : "I cannot say",
    );
    expect(lastNumber.read(undecided.episode.answer ?? "")).toBe("42");
  });
  test("without something that runs programs it is refused in words", () => {
    expect(() => baselineNamed("agentprune-r").create({ reader: lastNumber, ...options, family: "maths" })).toThrow(
      /runs model-written programs/u,
    );
  });
});

describe("code: five programmers in four rounds", () => {
  const fence = (body: string): string => `\`\`\`python\ndef double(x):\n    ${body}\n\`\`\``;
  const code = { family: "code", reader: wholeReply } as const;
  test("a program that passes the examples is passed on, which costs no call", async () => {
    const { calls, episode } = await play(
      teamOf("agentprune-c", code),
      ({ agent }) => (agent === "agent-3" ? fence("return 2 * x") : fence("return x + 1")),
      coding,
    );
    // Agents 1, 2 and 3 speak; 4 and 5 hear agent 3, and from then on everybody does.
    expect(calls.map(({ agent }) => agent)).toEqual(["agent-1", "agent-2", "agent-3", "decision"]);
    expect(episode.ledger.calls).toHaveLength(4);
    expect(episode.notes).toEqual([`forwarded: ${2 + 3 * 5}`]);
    expect(calls[2]?.user).toContain("> The program fails example 1 of 2: AssertionError");
    expect(calls[3]?.user.match(/> The program passes the examples\./gu)).toHaveLength(5);
  });
  test("all agents speak in all rounds if none passes", async () => {
    const { calls, episode } = await play(teamOf("agentprune-c", code), () => fence("return x + 1"), coding);
    expect([calls.length, episode.notes]).toEqual([5 * 4 + 1, undefined]);
    const titles = calls.slice(0, 5).map(({ system }) => /You are an? ([\w ]+)\./u.exec(system)?.[1]);
    const reported = calls.slice(0, 5).map(({ system }) => system.includes(options.answerForm));
    // Who plans and who tests is not told to answer.
    expect(reported).toEqual([false, false, true, false, true]);
    expect(titles).toEqual([
      "Project Manager",
      "Algorithm Designer",
      "Programming Expert",
      "Test Analyst",
      "Bug Fixer",
    ]);
  });
  test("a question without examples passes nothing on", async () => {
    const { calls } = await play(teamOf("agentprune-c", code), () => fence("return 2 * x"), "def double(x):\n");
    expect(calls).toHaveLength(21);
  });
});

test("choice: agents have MMLU's roles and send whole replies", async () => {
  const { calls } = await play(teamOf("agentprune-c", { family: "choice" }), (_, i) => `reply ${i}`);
  const titles = calls.slice(0, 5).map(({ system }) => /You are an? ([\w ]+)\./u.exec(system)?.[1]);
  expect(titles).toEqual(["Knowledgeable Expert", "Critic", "Mathematician", "Psychologist", "Historian"]);
  expect(calls[5]?.user).toContain("In the round before:\n\nAgent agent-1, Knowledgeable Expert, wrote:\n> reply 0");
});
