import type { Topology } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { baselineNamed, protocolFor, type BaselineOptions } from "../index.ts";
import { firstOf, play as playTeam, wholeReply, type Call } from "../../test/play.ts";
import { scriptedPython } from "../../test/scripted-python.ts";

const letters = {
  read: (reply: string) => /\(([A-D])\)/u.exec(reply)?.[1] ?? null,
  same: (a: string, b: string) => a === b,
};
const numbers = firstOf(/\d+/u);
const options = { answerForm: "Answer in brackets.", maxTokens: 4000 };
const question = 'def double(x):\n    """Twice x.\n    >>> double(2)\n    4\n    """\n';

const play = (team: Topology, answer: (call: Call, position: number) => string, asked = question) =>
  playTeam(team, answer, { question: asked });

const teamFor = (input: Partial<BaselineOptions>): Topology =>
  baselineNamed("dylan").create({ reader: numbers, ...options, ...input });

describe("choice: seven roles at temperature 1", () => {
  const choice = { family: "choice", reader: letters } as const;
  test("each role speaks in layer 1, later replies score what they read, two agents remain, at most 17 calls", async () => {
    const { calls, speakers } = await play(teamFor(choice), (call, i) =>
      call.agent === "ranker" ? "[1, 2]" : `reply-${i} [[1, 2, 3]] (${"ABCD"[i % 4]})`,
    );
    expect(protocolFor(baselineNamed("dylan").protocols ?? [], choice).temperature).toBe(1);
    const roles = ["economist", "doctor", "lawyer", "mathematician", "psychologist", "programmer", "historian"];
    const reported = (from: number, to: number) =>
      new Set(calls.slice(from, to).map(({ system }) => /You are an? (\w+)\./u.exec(system)?.[1]));
    expect([reported(0, 7), reported(7, 14)]).toEqual([new Set(roles), new Set(roles)]);
    expect(speakers).toHaveLength(17);
    expect(speakers[14]).toBe("ranker");
    expect(new Set(speakers.slice(15)).size).toBe(2);
    for (const { user } of calls.slice(0, 7)) expect(user).toBe(question);
    for (const { user } of calls.slice(7, 14)) expect(user).toContain("score each of the 7 replies from 1 to 5");
    for (const { user } of calls.slice(7)) expect(user).not.toContain("[[1, 2, 3]]");
    expect(calls.every(({ maxTokens }) => maxTokens === 2048)).toBe(true);
  });
  test("five of seven that agree end it, and the answer comes without scores", async () => {
    const { speakers, episode } = await play(teamFor(choice), () => "[[5]] (B)");
    expect([speakers.length, episode.answer]).toEqual([5, "(B)"]);
  });
  test("an unreadable last layer gives no answer, whatever earlier layers said", async () => {
    const { episode } = await play(teamFor(choice), (call, i) =>
      call.agent === "ranker" ? "[1, 2]" : i < 7 ? `(${"ABCD"[i % 4]})` : "unsure",
    );
    expect(episode.stopReason).toBe("no_answer");
  });
});

describe("maths: four debaters who are all alike, at 0.2", () => {
  const maths = { family: "maths", reader: numbers } as const;
  test("all agents get equal prompts, no agent scores, and each call has the examples", async () => {
    const exemplars = [{ question: "example", solution: "worked", answer: "1", answerLine: "#### 1" }];
    const { calls } = await play(teamFor({ ...maths, exemplars }), ({ agent }, i) =>
      agent === "ranker" ? "[1, 2]" : String(i),
    );
    expect(protocolFor(baselineNamed("dylan").protocols ?? [], maths).temperature).toBe(0.2);
    expect(new Set(calls.filter(({ agent }) => agent !== "ranker").map(({ system }) => system)).size).toBe(1);
    for (const { user } of calls) expect(user).not.toContain("score");
    expect(calls).toHaveLength(11);
  });
  test("two that were ranked best and agree need no third layer", async () => {
    const { speakers, episode } = await play(teamFor(maths), ({ agent, user }, i) => {
      if (agent !== "ranker") return i < 4 ? `${i}` : `${Math.floor(i / 2)}`;
      const answers = [...user.matchAll(/> (\d)/gu)].map((match) => match[1]);
      const [first, second] = answers.flatMap((answer, k) => (answer === answers[0] ? [k + 1] : []));
      return `[${first}, ${second}]`;
    });
    expect(speakers).toHaveLength(9);
    expect(["2", "3"]).toContain(episode.answer);
  });
  test("a ranking that names one twice is not followed, and noted", async () => {
    const { speakers, episode } = await play(teamFor(maths), ({ agent }, i) =>
      agent === "ranker" ? "[3, 3]" : String(i),
    );
    expect([new Set(speakers.slice(9)).size, episode.notes]).toEqual([2, ["ranking-drawn"]]);
  });
});

describe("code: four writers, four judges", () => {
  const code = { family: "code", reader: wholeReply, runProgram: scriptedPython } as const;
  const fence = (text: string): string => `\`\`\`python\n${text}\n\`\`\``;
  const body = (i: number, wrong = false): string =>
    fence(
      `def double(x):\n    # ${"abcdefghijklmnop"[i]?.repeat(i + 3)}\n    return ${wrong ? `x + ${i + 9}` : `2 * x`} ${"#".repeat(i)}`,
    );
  const script =
    (right: ReadonlySet<number>) =>
    ({ agent }: Call, i: number): string => {
      if (agent === "tester")
        return "Tests:\nassert double(2) == 4\nassert double(3) == 6\nassert double(3) == 6\nprint(1)";
      if (agent === "reflector")
        return "Reflection 1: fine\nReflection 2: wrong sign\nReflection 3: slow\nReflection 4: odd\n[[5, 1, 1, 1]]";
      if (agent.endsWith("ranker")) return "[1, 2]";
      return `[[5, 4, 3]]\n${body(i, !right.has(i))}`;
    };
  test("writers, judges and a ranker take 17 calls, and the passer takes none", async () => {
    const { calls, speakers, episode } = await play(teamFor(code), script(new Set([8])));
    const kinds = speakers.map((agent) => agent.replace(/\d/u, "n"));
    const [writers, judges] = [Array(4).fill("writer-n"), ["tester", "reflector", "judge-ranker"]];
    expect(kinds).toEqual([...writers, ...judges, ...writers, "ranker", ...judges, "writer-n", "writer-n"]);
    expect(episode.ledger.calls).toHaveLength(17);
    expect(calls.every(({ maxTokens }) => maxTokens === 1024)).toBe(true);
    const titles = calls.slice(0, 4).map(({ system }) => /You are an? ([\w ]+)\./u.exec(system)?.[1]);
    expect(new Set(titles)).toEqual(
      new Set(["Python assistant", "algorithm developer", "computer scientist", "programmer"]),
    );
  });
  test("the tester sees the description alone; a writer reads two programs, each with what three judges say of it", async () => {
    const { calls } = await play(teamFor(code), script(new Set()));
    expect(calls[4]?.user).toBe(question);
    const later = calls[7]?.user ?? "";
    expect(later.match(/^Program \d:/gmu)).toEqual(["Program 1:", "Program 2:"]);
    for (const what of ["Syntax check", "Unit tests", "Reflection"])
      expect(later.match(new RegExp(`^${what} of program [12]:`, "gmu"))).toHaveLength(2);
    expect(later).toContain("> runs without an error");
    expect(later).toMatch(/> failed: assert double\(3\) == 6 # AssertionError/u);
    expect(later.match(/assert double\(3\) == 6/gu)).toHaveLength(2);
    expect(later).not.toContain("print(1)");
    expect(later).toContain("score how much each of these helped");
  });
  test("the answer passes most of the tests that the team wrote, from whatever layer it is", async () => {
    for (const index of [0, 3, 8]) {
      const { episode } = await play(teamFor(code), script(new Set([index])));
      expect(episode.answer).toBe(body(index));
    }
  });
  test("a program that leaves before its end has passed nothing", async () => {
    const leaving = fence("import sys\nsys.exit(0)");
    const { episode, calls } = await play(teamFor(code), (call, i) => {
      const reply = script(new Set([1]))(call, i);
      return call.agent.startsWith("writer") && i !== 1 ? leaving : reply;
    });
    expect(episode.answer).toBe(body(1));
    expect(calls.some(({ user }) => user.includes("> left before its end"))).toBe(true);
  });
  test("layer 1 has no early stop; in layer 2 three of four with one program end it", async () => {
    const same = body(1);
    const { speakers } = await play(teamFor(code), (call, i) =>
      call.agent.startsWith("writer") ? same : script(new Set())(call, i),
    );
    expect(speakers).toHaveLength(4 + 3 + 3);
  });
  test("without something that runs programs it is refused in words", () => {
    expect(() => baselineNamed("dylan").create({ reader: wholeReply, ...options, family: "code" })).toThrow(
      /runs model-written programs/u,
    );
  });
});

describe("the selected team", () => {
  const selected = baselineNamed("dylan:selected");
  const input = { reader: letters, ...options, family: "choice" } as const;
  const experts = ["economist", "doctor", "lawyer", "mathematician", "psychologist", "programmer", "historian"];
  /** Everybody finds the doctor, the lawyer, the programmer and the historian worth 5, the others 1; nobody agrees before the end. */
  const opinion = ({ agent, user, system }: Call, i: number): string => {
    if (agent === "ranker") return "[1, 2]";
    const replies = [...user.matchAll(/> I am the (\w+)/gu)].map((match) => match[1] ?? "");
    const scores = replies.map((name) => (["doctor", "lawyer", "programmer", "historian"].includes(name) ? 5 : 0));
    const mine = experts.find((expert) => system.includes(` ${expert}.`)) ?? "";
    return `I am the ${mine}. [[${scores.join(", ")}]] (${i < 14 ? "ABCD"[i % 4] : "A"})`;
  };
  test("all seven play on calibration questions, and the four of most importance play the test", async () => {
    let plays = 0;
    const learned = await selected.calibrate?.(input, {
      questions: 3,
      seed: 0,
      utility: async (index, team) => {
        plays++;
        const { speakers } = await play(team, opinion, `question ${index}`);
        expect(new Set(speakers).size).toBe(8);
        return 1;
      },
    });
    expect(plays).toBe(3);
    const { importance, agents } = learned as { importance: number[]; agents: number[] };
    // Three layers of 1.
    expect(importance.reduce((sum, value) => sum + value, 0)).toBeCloseTo(3, 10);
    expect(agents).toEqual([1, 2, 5, 6]);
    const team = selected.restore?.(input, learned) as Topology;
    const { calls } = await play(team, opinion);
    const reported = new Set(calls.map(({ system }) => /You are an? (\w+)\./u.exec(system)?.[1]).filter(Boolean));
    expect(reported).toEqual(new Set(["doctor", "lawyer", "programmer", "historian"]));
    expect(calls.length).toBeLessThanOrEqual(11);
  });
  test("where all are alike nothing is asked; what was not learned here is refused", async () => {
    const utility = async (): Promise<number> => Promise.reject(new Error("asked"));
    const learned = await selected.calibrate?.({ ...input, family: "maths" }, { questions: 2, seed: 0, utility });
    expect((learned as { agents: number[] }).agents).toEqual([0, 0, 0, 0]);
    expect(() => selected.restore?.(input, { agents: [9] })).toThrow(/calibrate again/u);
  });
});
