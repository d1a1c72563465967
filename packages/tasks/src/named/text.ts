import { dataSettingsSchema } from "@laconic/benchmarks";
import * as z from "zod";
import { replyTokens, taskNamed, type NamedTask } from "./named-task.ts";
import type { BenchmarkTaskSettings } from "../text/benchmark-task.ts";
import { benchmarkTeam, pairTokens, teamDefaults, type TeamSettings } from "../text/benchmark-team.ts";
import type { DataTaskSettings } from "../text/data-task.ts";
import type { CodeTaskSettings, WritingTaskSettings } from "../text/pair-tasks.ts";
import { teamNames } from "../text/teams/presets.ts";
import { presetsAmong, type TeamChoice, teamTitle } from "../text/teams/team-of.ts";

const prompts = z.enum(["own", "published"]).default("own").describe("Our prompts, or those that were published");

/** The settings of a team over text that has a name. */
const teamFields = {
  team: z
    .union([z.enum(teamNames), z.array(z.enum(teamNames)).min(1)], {
      error: `it must be one of ${teamNames.join(", ")}, or a list of them`,
    })
    .describe("Who speaks to whom: a team by name, or your own"),
  agents: z.int().min(1).max(16).default(teamDefaults.agents).describe("How many agents the team has"),
  rounds: z.int().min(1).max(8).default(teamDefaults.rounds).describe("How many rounds the team speaks"),
  replyTokens: replyTokens(teamDefaults.replyTokens),
  actorTokens: z.int().min(1).default(teamDefaults.actorTokens).describe("Tokens that the actor may write"),
  graphSeed: z.union([z.string(), z.int()]).exactOptional().describe("Seed of a random communication graph"),
  density: z.number().min(0).max(1).exactOptional().describe("Share of all edges that a random graph has"),
  showBudget: z.boolean().default(teamDefaults.showBudget).describe("Whether prompts name the budget"),
};

/** @throws LaconicError as `benchmarkTeam` */
function teamHasFrozenAgents(settings: TeamSettings): boolean {
  const { topology, trained } = benchmarkTeam(settings, { answerForm: "", read: (reply) => reply });
  return topology.agents.some((agent) => !trained.includes(agent));
}

/** What a team over text plays, in two sentences, from the lines that lists have of it. */
function aboutTeam(question: string, team: TeamChoice | readonly TeamChoice[]): string {
  const summaries = presetsAmong(team).map(({ summary }) => summary);
  const played = summaries.length === 0 ? "a team of the user's own" : summaries.join("; or ");
  return `The team answers ${question}: ${played}. It is right if its answer has the value or text of the reference.`;
}

export const benchmark: NamedTask<BenchmarkTaskSettings> = {
  schema: z.strictObject({
    name: taskNamed("benchmark"),
    benchmark: z.string().describe("Name of the benchmark whose problems are trained on"),
    ...teamFields,
    file: z.string().min(1).exactOptional().describe("Its problems, where they lie elsewhere"),
  }),
  title: ({ benchmark: name, team }) => `benchmark/${name}/${teamTitle(team)}`,
  about: ({ benchmark: name, team }) => aboutTeam(`a question of ${name}`, team),
  hasFrozenAgents: teamHasFrozenAgents,
  open: async (settings, resources) => (await import("../text/benchmark-task.ts")).benchmarkTask(settings, resources),
};

export const data: NamedTask<DataTaskSettings> = {
  schema: z.strictObject({
    name: taskNamed("data"),
    data: dataSettingsSchema.describe("Problems of your own: a file, or a data set of the hub"),
    ...teamFields,
  }),
  title: ({ team }) => `data/${teamTitle(team)}`,
  about: ({ team }) => aboutTeam("a question of the data", team),
  hasFrozenAgents: teamHasFrozenAgents,
  open: async (settings, resources) => (await import("../text/data-task.ts")).dataTask(settings, resources),
  pin: async (settings, { data: { hub, signal } }) => {
    if (!/"hub:/u.test(JSON.stringify(settings.data))) return settings;
    const { openData } = await import("@laconic/benchmarks");
    return {
      ...settings,
      data: (await openData(settings.data, { ...(hub && { hub }), ...(signal && { signal }) })).settings,
    };
  },
};

export const writing: NamedTask<WritingTaskSettings> = {
  schema: z.strictObject({
    name: taskNamed("writing"),
    form: z.enum(["tldr", "arxiv"]).describe("What the two write: a summary, or an introduction"),
    replyTokens: replyTokens(pairTokens),
    strict: z.boolean().default(false).describe("Counts transition phrases at word boundaries alone"),
    prompts,
  }),
  title: ({ form }) => `writing/${form}`,
  about: ({ form }) =>
    form === "tldr"
      ? "Two writers summarise the same post at once, the first in brief, the second at length, and neither sees the other's text. One grade is for both: lengths, style and how far they say the same."
      : "Two writers introduce the same paper from its abstract at once, one its background, the other its method, and neither sees the other's text. One grade is for both: lengths, style and how far they fit together.",
  open: async (settings, resources) => (await import("../text/pair-tasks.ts")).writingTask(settings, resources),
};

export const code: NamedTask<CodeTaskSettings> = {
  schema: z.strictObject({
    name: taskNamed("code"),
    benchmark: z.enum(["coophumaneval", "humaneval"]).describe("Name of the benchmark whose problems are trained on"),
    turns: z.union([z.literal(1), z.literal(2)]).describe("Turns that each of the two writes"),
    replyTokens: replyTokens(pairTokens),
    prompts,
  }),
  title: (settings) => `code/${settings.benchmark}/${settings.turns}`,
  about: ({ turns }) =>
    `One writer programs a helper function, the other the main function that may call it, at once. The grade is for both together: structure, syntax, tests passed, and whether the helper is used${turns === 2 ? "; in a second turn both are told what failed" : ""}.`,
  open: async (settings, resources) => (await import("../text/pair-tasks.ts")).codeTask(settings, resources),
};
