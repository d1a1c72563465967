import { dataSettingsSchema } from "@laconic/benchmarks";
import * as z from "zod";
import type { NamedTask } from "./named-task.ts";
import type { BenchmarkTaskSettings } from "../text/benchmark-task.ts";
import { benchmarkTeam, type TeamSettings } from "../text/benchmark-team.ts";
import type { DataTaskSettings } from "../text/data-task.ts";
import type { CodeTaskSettings, WritingTaskSettings } from "../text/pair-tasks.ts";
import { teamNames } from "../text/teams/presets.ts";
import { presetsAmong, type TeamChoice, teamTitle } from "../text/teams/team-of.ts";

/** The settings of a team over text that has a name. */
const teamFields = {
  team: z.union([z.enum(teamNames), z.array(z.enum(teamNames)).min(1)], {
    error: `it must be one of ${teamNames.join(", ")}, or a list of them`,
  }),
  agents: z.int().min(1).max(16).exactOptional(),
  rounds: z.int().min(1).max(8).exactOptional(),
  replyTokens: z.int().min(1).exactOptional(),
  actorTokens: z.int().min(1).exactOptional(),
  graphSeed: z.union([z.string(), z.int()]).exactOptional(),
  density: z.number().min(0).max(1).exactOptional(),
  showBudget: z.boolean().exactOptional(),
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
    name: z.literal("benchmark"),
    benchmark: z.string(),
    ...teamFields,
    file: z.string().min(1).exactOptional(),
  }),
  title: ({ benchmark: name, team }) => `benchmark/${name}/${teamTitle(team)}`,
  about: ({ benchmark: name, team }) => aboutTeam(`a question of ${name}`, team),
  hasFrozenAgents: teamHasFrozenAgents,
  open: async (settings, resources) => (await import("../text/benchmark-task.ts")).benchmarkTask(settings, resources),
};

export const data: NamedTask<DataTaskSettings> = {
  schema: z.strictObject({ name: z.literal("data"), data: dataSettingsSchema, ...teamFields }),
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
    name: z.literal("writing"),
    form: z.enum(["tldr", "arxiv"]),
    replyTokens: z.int().min(1).exactOptional(),
    strict: z.boolean().exactOptional(),
    prompts: z.enum(["own", "published"]).exactOptional(),
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
    name: z.literal("code"),
    benchmark: z.enum(["coophumaneval", "humaneval"]),
    turns: z.union([z.literal(1), z.literal(2)]),
    replyTokens: z.int().min(1).exactOptional(),
    prompts: z.enum(["own", "published"]).exactOptional(),
  }),
  title: (settings) => `code/${settings.benchmark}/${settings.turns}`,
  about: ({ turns }) =>
    `One writer programs a helper function, the other the main function that may call it, at once. The grade is for both together: structure, syntax, tests passed, and whether the helper is used${turns === 2 ? "; in a second turn both are told what failed" : ""}.`,
  open: async (settings, resources) => (await import("../text/pair-tasks.ts")).codeTask(settings, resources),
};
