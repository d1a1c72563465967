import { baselineNamed } from "@laconic/baselines";
import { randomFromSeed, type ChatMessage, type Topology } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { teamOf } from "@laconic/tasks/text";
import { expect, test } from "vitest";

const answerForm = 'End with a line "#### N".';
const problem = {
  id: "1",
  question: "How many nuts?",
  gold: "7",
  views: { actor: "Ann has 3.", critic: "Bob has 4." },
};

async function requests(
  topology: Topology,
  views: Readonly<Record<string, string>>,
): Promise<(readonly ChatMessage[])[]> {
  const asked: (readonly ChatMessage[])[] = [];
  const model = scriptedModel(({ prompt }, call) => {
    if (prompt.kind === "messages") asked.push(prompt.messages);
    return ["Count] all.\nNew line", "3 and 4.\n#### 7", "#### 8"][call] ?? "";
  });
  const models = Object.fromEntries(topology.agents.map((agent) => [agent, model]));
  await topology.run({ ...problem, views }, { models, sampling: { temperature: 0 }, random: randomFromSeed(0) });
  return asked;
}

test.for([
  ["hint", "collaborator"],
  ["critic", "critic"],
] as const)("untrained %s sends the same prompts as the trained team", async ([name, slot]) => {
  const options = {
    agents: 3,
    rounds: 2,
    replyTokens: 768,
    actorTokens: 2048,
    answerForm,
    read: (text: string) => text,
  };
  const reader = { read: (text: string) => text, same: (a: string, b: string) => a === b };
  const untrained = baselineNamed(name).create({ reader, answerForm, maxTokens: 100 });
  for (const dealt of [false, true]) {
    const viewsFor = (helper: string): Record<string, string> =>
      dealt ? { actor: "Ann has 3.", [helper]: "Bob has 4." } : {};
    const published = await requests(untrained, viewsFor(slot));
    expect(published).toEqual(await requests(teamOf(name, options).topology, viewsFor("collaborator")));
    expect(published).toHaveLength(name === "hint" ? 2 : 3);
    expect(JSON.stringify(published).includes("Only you know:")).toBe(dealt);
  }
});
