import { randomFromSeed, type Episode, type Prompt } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { teamNames, textTeam, textTeams, type TeamName } from "./text-teams.ts";

const options = {
  agents: 2,
  rounds: 2,
  replyTokens: 100,
  actorTokens: 200,
  answerForm: "Put the final answer into \\boxed{}.",
  read: (reply: string) => reply.trim() || null,
};
const problem = { id: "1", question: "How many?", gold: "4" };
const shown = (prompt: Prompt): string =>
  prompt.kind === "messages" ? prompt.messages.map(({ content }) => content).join("\n") : "";

async function played(
  name: TeamName,
  reply: (agent: string, prompt: string) => string,
  views?: Readonly<Record<string, string>>,
): Promise<{ episode: Episode; asked: { agent: string; prompt: string; maxTokens: number }[] }> {
  const { topology } = textTeam(name, options);
  const asked: { agent: string; prompt: string; maxTokens: number }[] = [];
  const models = Object.fromEntries(
    topology.agents.map((agent) => [
      agent,
      scriptedModel(({ prompt, sampling }) => {
        asked.push({ agent, prompt: shown(prompt), maxTokens: sampling.maxTokens });
        return { text: reply(agent, shown(prompt)) };
      }),
    ]),
  );
  const context = { models, sampling: { temperature: 1 }, random: randomFromSeed(0) };
  return { episode: await topology.run(views ? { ...problem, views } : problem, context), asked };
}

test.each(teamNames)("%s: somebody learns, somebody answers, the longest reply is bounded", async (name) => {
  const team = textTeam(name, options);
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

test("a debate with a collaborator: its hint in both rounds, the others' words in the second", async () => {
  const { episode, asked } = await played("debate", (agent) =>
    agent === "collaborator" ? "count twice" : `4 by ${agent}`,
  );
  expect(asked.map(({ agent }) => agent)).toEqual(["collaborator", "debater-1", "debater-2", "debater-1", "debater-2"]);
  for (const { prompt } of asked.slice(1)) expect(prompt).toContain("[Hint: count twice]");
  expect(asked[1]?.prompt).not.toContain("Agent debater-2");
  expect(asked[3]?.prompt).toContain("Agent debater-2 wrote:\n> 4 by debater-2");
  expect(asked[3]?.prompt).not.toContain("Agent collaborator");
  expect(episode.answer).toBe("4 by debater-1");
});

test("a role assignment with a collaborator: the expert has role and hint", async () => {
  const replies: Record<string, string> = { collaborator: "halve it", router: "Math Enthusiast", expert: "4" };
  const { asked } = await played("roles", (agent) => replies[agent] ?? "");
  expect(asked.at(-1)?.prompt).toContain("You are a Math Enthusiast.");
  expect(asked.at(-1)?.prompt).toContain("[Hint: halve it]");
});

test.each(["star", "chain"] as const)("%s: holders know their part alone, and may pass", async (name) => {
  const views = { "holder-1": "Ann has 3.", "holder-2": "Bob has 1." };
  const { episode, asked } = await played(name, (agent) => (agent === "holder-2" ? "PASS" : "3"), views);
  const of = (agent: string): string => asked.find((each) => each.agent === agent)?.prompt ?? "";
  expect(of("holder-1")).toContain("Ann has 3.");
  expect(of("holder-1")).not.toContain("Bob");
  expect(of("solver")).not.toContain("Ann has");
  expect(of("solver")).not.toContain("PASS");
  expect(episode.utterances.find(({ agent }) => agent === "holder-2")?.silent).toBe(true);
});

test("one collaborator for several teams; teams with other learners cannot be mixed", () => {
  const team = textTeams(["hint", "debate"], options);
  expect(team.trained).toEqual(["collaborator"]);
  expect(team.topology.agents).toEqual(["collaborator", "actor", "debater-1", "debater-2"]);
  expect(() => textTeams(["hint", "solo"], options)).toThrow(/cannot be mixed/u);
});
