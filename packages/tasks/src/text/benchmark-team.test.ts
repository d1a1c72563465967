import type { Graph } from "@laconic/topologies";
import { expect, test } from "vitest";
import { play } from "../../test/play.ts";
import { benchmarkTeam, type TeamSettings } from "./benchmark-team.ts";
import { teamPresets } from "./teams/presets.ts";

const forms = { answerForm: "Put it into a box.", read: (reply: string) => reply };
const textTeam = teamPresets.solo.make({ agents: 1, rounds: 1, replyTokens: 9, actorTokens: 9, ...forms });

test("the omitted values are AgentPO's lengths, three agents and two rounds", () => {
  const { graph } = benchmarkTeam({ team: "debate" }, forms);
  const [helper, ...debaters] = graph?.agents ?? [];
  expect([graph?.rounds, helper?.maxTokens]).toEqual([2, 768]);
  expect(debaters.map(({ maxTokens }) => maxTokens)).toEqual([2048, 2048, 2048]);
});

test("agents get the run's budget where the setting asks for it", async () => {
  const reported = async (settings: TeamSettings, targetTokens?: number): Promise<boolean> => {
    const { topology } = benchmarkTeam(settings, { ...forms, targetTokens });
    const { asked } = await play(topology, { id: "1", question: "?", gold: "4" }, () => "4");
    return asked.every(({ prompt }) => prompt.includes("a budget of 60 tokens"));
  };
  expect(await reported({ team: "solo", showBudget: true }, 60)).toBe(true);
  expect(await reported({ team: ["hint", "debate"], showBudget: true }, 60)).toBe(true);
  expect(await reported({ team: "solo", showBudget: true })).toBe(false);
  expect(await reported({ team: "solo" }, 60)).toBe(false);
});

test.for<[string, TeamSettings]>([
  ["graphSeed", { team: "complete", graphSeed: 1 }],
  ["density", { team: ["hint", "critic"], density: 0.5 }],
  ["graphSeed", { team: textTeam.graph as Graph, graphSeed: 1 }],
  ["showBudget", { team: textTeam, showBudget: true }],
  ["showBudget", { team: textTeam.topology, showBudget: true }],
])("%s without effect is refused: %j", ([key, settings]) => {
  expect(() => benchmarkTeam(settings, forms)).toFailWith("config_invalid", { key: `task.${key}` });
});

test("a function gets every setting", () => {
  const team = benchmarkTeam(
    {
      team: ({ graphSeed, density, showBudget, agents }) => {
        expect([graphSeed, density, showBudget, agents]).toEqual(["x", 0.2, true, 4]);
        return textTeam;
      },
      graphSeed: "x",
      density: 0.2,
      showBudget: true,
      agents: 4,
    },
    forms,
  );
  expect(team.trained).toEqual(["solver"]);
});
