import { dataSettingsSchema } from "@laconic/benchmarks";
import * as z from "zod";
import { benchmarkTeam, pairTokens, promptSources, teamDefaults, type TeamSettings } from "../text/benchmark-team.ts";
import { teamNames } from "../text/teams/presets.ts";
import { presetsAmong, teamTitle } from "../text/teams/team-of.ts";
import { replyTokens, settings, tokens, type NamedTasks } from "./named-task.ts";

const prompts = z.enum(promptSources).default("ours").describe("Prompts of Laconic, or the published ones");

const teamFields = {
  team: z
    .union([z.enum(teamNames), z.array(z.enum(teamNames)).min(1)], {
      error: `it must be one of ${teamNames.join(", ")}, or a list of them`,
    })
    .describe("Team: a name, or a custom topology"),
  agents: tokens(teamDefaults.agents, "Number of agents", 16),
  rounds: tokens(teamDefaults.rounds, "Number of rounds", 8),
  replyTokens: replyTokens(teamDefaults.replyTokens),
  actorTokens: tokens(teamDefaults.actorTokens, "Max tokens of the actor"),
  graphSeed: z.union([z.string(), z.int()]).exactOptional().describe("Seed of a random communication graph"),
  density: z.number().min(0).max(1).exactOptional().describe("Edge density of a random graph"),
  showBudget: z.boolean().default(teamDefaults.showBudget).describe("Whether prompts name the budget"),
};

/** @throws as `benchmarkTeam` */
function hasFrozenAgents(team: TeamSettings): boolean {
  const { topology, trained } = benchmarkTeam(team, { answerForm: "", read: (reply) => reply });
  return topology.agents.some((agent) => !trained.includes(agent));
}

function about(question: string, team: TeamSettings["team"]): string {
  const summaries = presetsAmong(team).map(({ summary }) => summary);
  const played = summaries.length === 0 ? "a user's team" : summaries.join("; or ");
  return `The team answers ${question}: ${played}. The answer is right if it has the value or text of the reference.`;
}

export const textTasks: NamedTasks<"benchmark" | "data" | "writing" | "code"> = {
  benchmark: {
    schema: settings("benchmark", {
      benchmark: z.string().describe("Name of the training benchmark"),
      ...teamFields,
      file: z.string().min(1).exactOptional().describe("Custom location of the problems"),
      split: z.string().min(1).exactOptional().describe("Training split. Default: one on files, else on the hub"),
      prompts,
    }),
    title: ({ benchmark, team }) => `benchmark/${benchmark}/${teamTitle(team)}`,
    about: ({ benchmark, team }) => about(`a question of ${benchmark}`, team),
    hasFrozenAgents,
    open: async (options, resources) => (await import("../text/benchmark-task.ts")).benchmarkTask(options, resources),
  },
  data: {
    schema: settings("data", {
      data: dataSettingsSchema.describe("Custom problems: a file, or a data set of the hub"),
      ...teamFields,
    }),
    title: ({ team }) => `data/${teamTitle(team)}`,
    about: ({ team }) => about("a question of the data", team),
    hasFrozenAgents,
    open: async (options, resources) => (await import("../text/benchmark-task.ts")).dataTask(options, resources),
    pin: async (options, { data: { hub, signal } }) => {
      if (!/"hub:/u.test(JSON.stringify(options.data))) return options;
      const { openData } = await import("@laconic/benchmarks");
      const opened = await openData(options.data, { ...(hub && { hub }), ...(signal && { signal }) });
      return { ...options, data: opened.settings };
    },
  },
  writing: {
    schema: settings("writing", {
      form: z.enum(["tldr", "arxiv"]).describe("Text form: a summary, or an introduction"),
      replyTokens: replyTokens(pairTokens),
      strict: z.boolean().default(false).describe("Counts transition phrases at word boundaries alone"),
      prompts,
    }),
    title: ({ form }) => `writing/${form}`,
    about: ({ form }) =>
      form === "tldr"
        ? "Two writers summarise the same post at the same time: the first briefly, the second in detail. Neither sees the other's text. Both get one grade for lengths, style and agreement of content."
        : "Two writers introduce the same paper from its abstract at the same time: one writes the background, the other the method. Neither sees the other's text. Both get one grade for lengths, style and coherence.",
    open: async (options, resources) => (await import("../text/pair-tasks.ts")).writingTask(options, resources),
  },
  code: {
    schema: settings("code", {
      benchmark: z.enum(["coophumaneval", "humaneval"]).describe("Name of the training benchmark"),
      turns: z.union([z.literal(1), z.literal(2)]).describe("Turns per writer"),
      replyTokens: replyTokens(pairTokens),
      prompts,
    }),
    title: ({ benchmark, turns }) => `code/${benchmark}/${turns}`,
    about: ({ turns }) =>
      `One writer programs a helper function, the other the main function that may call it, at the same time. Both get one grade for structure, syntax, passed tests and use of the helper.${turns === 2 ? " In a second turn both read what failed." : ""}`,
    open: async (options, resources) => (await import("../text/pair-tasks.ts")).codeTask(options, resources),
  },
};
