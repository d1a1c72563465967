import { randomFromSeed } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { answerOf, chainGraph, graphTopology, type AgentSpec } from "@laconic/topologies";
import { expect, test } from "vitest";
import { teamPresets } from "./presets.ts";
import { teamOf, teamTitle, type TeamChoice } from "./team-of.ts";
import type { TextTeam, TextTeamOptions } from "./text-team.ts";

const options: TextTeamOptions = {
  agents: 2,
  rounds: 2,
  replyTokens: 100,
  actorTokens: 200,
  answerForm: "Put the final answer into \\boxed{}.",
  read: (reply) => reply.trim() || null,
};
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

test("an own graph is run by the executor", async () => {
  const { topology: made } = teamOf(graph, options);
  const models = { a: scriptedModel("k6"), b: scriptedModel("15") };
  const context = { models, sampling: { temperature: 1 }, random: randomFromSeed(0) };
  expect((await made.run({ id: "1", question: "?", gold: "15" }, context)).answer).toBe("15");
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
  ["no name", "constructor", /there is no team constructor; known: solo, /u],
  ["nothing", [], /names no team/u],
  ["a number", 3, /this is no team/u],
  ["null", null, /this is no team/u],
  ["a function that returns none", () => undefined, /this is no team/u],
  ["nobody learns", { ...team, trained: [] }, /nobody learns in my-chain/u],
  ["a stranger learns", { ...team, trained: ["c"] }, /my-chain has no agent c; it has a, b/u],
  ["a stranger knows a part", { ...team, holders: ["c"] }, /my-chain has no agent c/u],
])("%s is refused at task.team", ([, given, reason]) => {
  expect(() => teamOf(given as TeamChoice, options)).toThrow(
    expect.objectContaining({ code: "config_invalid", detail: { key: "task.team" } }),
  );
  expect(() => teamOf(given as TeamChoice, options)).toThrow(reason);
});

test("a graph that cannot run is refused as what it is", () => {
  expect(() => teamOf({ ...graph, answer: answerOf<string>("nobody") }, options)).toThrow(
    expect.objectContaining({ code: "topology_invalid" }),
  );
});
