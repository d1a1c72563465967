import { randomFromSeed } from "@laconic/core";
import { scriptedModel } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { hintActor, solo } from "./built-in.ts";
import { mixture } from "./mixture.ts";

const agent = (id: string) => ({ id, role: id, maxTokens: 9, prompt: () => ({ kind: "text" as const, text: "" }) });
const both = mixture([solo(agent("actor")), hintActor(agent("collaborator"), agent("actor"))]);

test("a problem is always played on the same one, and each of them is played", async () => {
  expect(both.agents).toEqual(["actor", "collaborator"]);
  const model = scriptedModel(() => ({ text: "4" }));
  const play = async (id: string, seed: number): Promise<string> => {
    const context = {
      models: { actor: model, collaborator: model },
      sampling: { temperature: 1 },
      random: randomFromSeed(seed),
    };
    return (await both.run({ id, question: "?", gold: "4" }, context)).topology;
  };
  const first = await Promise.all(Array.from({ length: 20 }, (_, i) => play(`p${i}`, 0)));
  const again = await Promise.all(Array.from({ length: 20 }, (_, i) => play(`p${i}`, 1)));
  expect(again).toEqual(first);
  expect(new Set(first)).toEqual(new Set(["solo", "hint-actor"]));
  expect(() => mixture([])).toThrow(/has no topologies/u);
});
