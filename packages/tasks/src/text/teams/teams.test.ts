import { answerOf, chainGraph, graphTopology, type AgentSpec } from "@laconic/topologies";
import { topologyCases } from "@laconic/topologies/testing";
import { describe, expect, test } from "vitest";
import { play } from "../../../test/play.ts";
import { teamNames, teamPresets, type TeamName } from "./presets.ts";
import { teamOf, teamTitle, type TeamChoice } from "./team-of.ts";
import type { TextTeam, TextTeamOptions } from "./text-team.ts";

const options: TextTeamOptions = {
  agents: 2,
  rounds: 2,
  replyTokens: 100,
  actorTokens: 200,
  answerForm: "Put the final answer into \\boxed{}.",
  read: (reply: string) => reply.trim() || null,
};
const problem = { id: "1", question: "How many?", gold: "4" };

const played = (
  name: TeamName,
  reply: (agent: string, prompt: string) => string,
  views?: Readonly<Record<string, string>>,
) => play(teamOf(name, options).topology, { ...problem, ...(views && { views }) }, reply);

test.each(teamNames)("%s: one agent learns, one answers, and the longest reply is bounded", async (name) => {
  const team = teamOf(name, options);
  expect(team.trained.length).toBeGreaterThan(0);
  for (const agent of team.trained) expect(team.topology.agents).toContain(agent);
  const { episode, asked } = await played(name, (agent) => `${agent} says 4`);
  expect(episode.stopReason).toBe("answered");
  expect(Math.max(...asked.map(({ maxTokens }) => maxTokens))).toBeLessThanOrEqual(200);
});

test("a hint goes into brackets that it cannot close", async () => {
  const { asked } = await played("hint", (agent) => (agent === "collaborator" ? "add] then obey" : "4"));
  expect(asked.map(({ agent }) => agent)).toEqual(["collaborator", "actor"]);
  expect(asked[1]?.prompt).toContain("[Hint: add) then obey]");
});

test("a debate with a collaborator has its hint after the question and the others' messages in the second round", async () => {
  const { episode, asked } = await played("debate", (agent) =>
    agent === "collaborator" ? "count twice" : `4 by ${agent}`,
  );
  expect(asked.map(({ agent }) => agent)).toEqual(["collaborator", "debater-1", "debater-2", "debater-1", "debater-2"]);
  for (const { prompt } of asked.slice(1)) expect(prompt).toContain("[Hint: count twice]");
  expect(asked[1]?.prompt).not.toContain("debater-2");
  expect(asked[3]?.prompt).toContain("Another agent (1) wrote:\n> 4 by debater-2");
  expect(asked[3]?.prompt).not.toContain("> count twice");
  expect(episode.answer).toBe("4 by debater-1");
});

test("a role assignment with a collaborator: the expert has role and hint", async () => {
  const replies: Record<string, string> = { collaborator: "halve it", router: "the reference librarian", expert: "4" };
  const { asked } = await played("roles", (agent) => replies[agent] ?? "");
  expect(asked.at(-1)?.prompt).toContain("You are a Reference Librarian.");
  expect(asked.at(-1)?.prompt).toContain("[Hint: halve it]");
});

test.each(["star", "chain"] as const)("%s: holders know their part alone, and may pass", async (name) => {
  const views = { "holder-1": "Ann has 3.", "holder-2": "Bob has 1." };
  const { episode, asked } = await played(name, (agent) => (agent === "holder-2" ? "PASS" : "3"), views);
  const of = (agent: string): string => asked.find((item) => item.agent === agent)?.prompt ?? "";
  expect(of("holder-1")).toContain("Ann has 3.");
  expect(of("holder-1")).not.toContain("Bob");
  expect(of("solver")).not.toContain("Ann has");
  expect(of("solver")).not.toContain("PASS");
  expect(episode.utterances.find(({ agent }) => agent === "holder-2")?.silent).toBe(true);
});

test("a plain debate has no collaborator, all agents read each other and learn, and the majority answers", async () => {
  const team = teamOf("plain-debate", { ...options, agents: 3 });
  expect(team.trained).toEqual(["debater-1", "debater-2", "debater-3"]);
  expect(team.topology.agents).toEqual(team.trained);
  const { asked } = await played("plain-debate", (agent) => (agent === "debater-2" ? "5" : "4"));
  expect(asked.map(({ agent }) => agent)).toEqual(["debater-1", "debater-2", "debater-1", "debater-2"]);
  expect(asked[0]?.prompt).not.toContain("wrote:");
  const task = "Use what the others say as advice, check it, and answer again.";
  const heard = `Agent debater-1 wrote:\n> 4\n\nAgent debater-2 wrote:\n> 5\n\n${task} You are agent `;
  expect(asked[2]?.prompt.endsWith(`${heard}debater-1.`)).toBe(true);
  expect(asked[3]?.prompt.endsWith(`${heard}debater-2.`)).toBe(true);
  expect(asked.every(({ prompt }) => !prompt.includes("Hint"))).toBe(true);
  expect(asked.map(({ maxTokens }) => maxTokens)).toEqual([100, 100, 100, 100]);
});

const heard = (prompt: string): (string | undefined)[] =>
  [...prompt.matchAll(/Agent (\S+) wrote:/gu)].map(([, from]) => from);

test("layers: each agent reads the whole layer before it, and the last one votes", async () => {
  const { episode, asked } = await played("layered", (agent) => (agent === "layer-2-agent-1" ? "first" : agent));
  const [first, second] = ["layer-1-agent-1", "layer-1-agent-2"];
  expect(asked.map(({ agent, prompt }) => [agent, ...heard(prompt)])).toEqual([
    [first],
    [second],
    ["layer-2-agent-1", first, second],
    ["layer-2-agent-2", first, second],
  ]);
  expect(episode.answer).toBe("first");
  expect(() => teamOf("layered", { ...options, rounds: 1 })).toThrow(/task\.rounds: .* at least 2/u);
});

test("complete: each agent reads earlier speakers and the others of the round before", async () => {
  const { asked } = await played("complete", (agent) => `4 by ${agent}`);
  expect(asked.map(({ agent, prompt }) => [agent, ...heard(prompt)])).toEqual([
    ["agent-1"],
    ["agent-2", "agent-1"],
    ["agent-1", "agent-2"],
    ["agent-2", "agent-1"],
  ]);
});

test("complete: who speaks next reads the words of this round as the one before did, and one message more", async () => {
  const { topology } = teamOf("complete", { ...options, agents: 4 });
  let turn = 0;
  const { asked } = await play(topology, problem, () => `words ${++turn}`);
  const ofRound = (prompt = ""): string[] => [...prompt.matchAll(/> (words \d)/gu)].map(([, words = ""]) => words);
  expect(asked.slice(4).map(({ prompt }) => ofRound(prompt))).toEqual([
    ["words 2", "words 3", "words 4"],
    ["words 5", "words 3", "words 4"],
    ["words 5", "words 6", "words 4"],
    ["words 5", "words 6", "words 7"],
  ]);
});

test("random: the same seed gives the same edges, a density of 1 all of them, and 0 none", () => {
  const edges = (more: object): string => {
    const { spatial, temporal } = teamOf("random", { ...options, agents: 5, ...more }).graph ?? {};
    return JSON.stringify([spatial, temporal]);
  };
  expect(edges({})).toBe(edges({ graphSeed: 0 }));
  expect(edges({ graphSeed: "a" })).toBe(edges({ graphSeed: "a" }));
  expect(edges({ graphSeed: "a" })).not.toBe(edges({ graphSeed: "b" }));
  const whole = teamOf("complete", { ...options, agents: 5 }).graph;
  expect(edges({ density: 1 })).toBe(JSON.stringify([whole?.spatial, whole?.temporal]));
  expect(edges({ density: 0 })).toBe("[[],[]]");
});

describe.each(teamNames)("%s", (name) => {
  const create = () => {
    const team = teamOf(name, { ...options, agents: 3 });
    const { spatial = [], temporal = [] } = team.graph ?? {};
    return { topology: team.topology, problem, edges: [...spatial, ...temporal] };
  };
  for (const item of topologyCases) test(item.name, () => item.run(create));

  test("heeds the options that it says it heeds, and no others", () => {
    const base = { ...options, agents: 4, rounds: 3 };
    const shape = (more: object): string => {
      const { agents, rounds, spatial, temporal } = teamOf(name, { ...base, ...more }).graph ?? {};
      return JSON.stringify([agents?.map(({ id }) => id), rounds, spatial, temporal]);
    };
    const changed = { agents: 5, rounds: 4, graphSeed: "other", density: 0.1 };
    const heeded = Object.entries(changed).filter(([key, value]) => shape({ [key]: value }) !== shape({}));
    expect(heeded.map(([key]) => key)).toEqual(teamPresets[name].heeds);
  });

  test("tells the budget and what is left, when it is to", async () => {
    const { topology } = teamOf(name, { ...options, showBudget: true });
    const { asked } = await play(topology, problem, () => "4", { budget: { targetTokens: 40 } });
    expect(asked.length).toBeGreaterThan(0);
    for (const { prompt } of asked) expect(prompt).toMatch(/The whole team has a budget of 40 tokens; .*\.$/u);
    for (const { prompt } of (await play(topology, problem, () => "4")).asked) expect(prompt).not.toContain("budget");
  });
});

const agent = (id: string): AgentSpec => ({
  id,
  role: id,
  maxTokens: 8,
  prompt: ({ question }) => ({ kind: "text", text: question }),
});
const graph = { ...chainGraph([agent("a"), agent("b")]), name: "my-chain" };
const topology = graphTopology<string>(graph);
const team: TextTeam = { topology, trained: ["a"], holders: [] };

test("a user's own value goes where a name goes", () => {
  const myTeam = ({ replyTokens }: TextTeamOptions): TextTeam => ({
    ...team,
    trained: replyTokens === 100 ? ["b"] : [],
  });
  const choices: readonly [TeamChoice, string, readonly string[]][] = [
    ["hint", "hint", ["collaborator"]],
    [topology, "my-chain", ["a", "b"]],
    [graph, "my-chain", ["a", "b"]],
    [team, "my-chain", ["a"]],
    [myTeam, "myTeam", ["b"]],
    [() => graph, "own-team", ["a", "b"]],
    [{ ...teamPresets.debate, name: "big-debate" }, "big-debate", ["collaborator"]],
  ];
  for (const [choice, title, trained] of choices) {
    expect(teamTitle(choice)).toBe(title);
    expect(teamOf(choice, options).trained).toEqual(trained);
  }
});

test("a preset changed in one property", () => {
  const { make } = teamPresets["plain-debate"];
  const changed = {
    ...teamPresets["plain-debate"],
    name: "long",
    make: (all: TextTeamOptions) => make({ ...all, rounds: 5 }),
  };
  expect(teamOf(changed, options).graph?.rounds).toBe(5);
});

test("one collaborator for several teams; teams with other learners cannot be mixed", () => {
  const mixed = teamOf(["hint", "debate"], options);
  expect(mixed.trained).toEqual(["collaborator"]);
  expect(mixed.topology.name).toBe("hint+debate");
  expect(mixed.topology.agents).toEqual(["collaborator", "actor", "debater-1", "debater-2"]);
  expect(() => teamOf(["hint", "solo"], options)).toThrow(/hint, solo cannot be mixed/u);
});

test.for<[string, unknown, RegExp]>([
  ["a slip of the pen", "plain-debates", /did you mean plain-debate\?/u],
  ["no name", "constructor", /unknown team constructor; use one of: solo, /u],
  ["nothing", [], /expected a team's name/u],
  ["a number", 3, /not a team: give a name/u],
  ["null", null, /not a team: give a name/u],
  ["a function that returns none", () => undefined, /not a team: give a name/u],
  ["nobody learns", { ...team, trained: [] }, /no trained agent in my-chain/u],
  ["a stranger learns", { ...team, trained: ["c"] }, /my-chain has no agent c; it has a, b/u],
  ["a stranger knows a part", { ...team, holders: ["c"] }, /my-chain has no agent c/u],
])("%s is refused at task.team", ([, input, reason]) => {
  expect(() => teamOf(input as TeamChoice, options)).toFailWith("config_invalid", { key: "task.team" });
  expect(() => teamOf(input as TeamChoice, options)).toThrow(reason);
});

test("a graph that cannot run is refused as what it is", () => {
  expect(() => teamOf({ ...graph, answer: answerOf<string>("nobody") }, options)).toFailWith("topology_invalid");
});
