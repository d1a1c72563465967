import { dataSettingsSchema } from "@laconic/benchmarks";
import * as z from "zod";
import type { DataTaskSettings } from "../text/data-task.ts";
import { aboutTeam } from "../text/teams/about-team.ts";
import { teamTitle } from "../text/teams/team-of.ts";
import type { NamedTask } from "./named-task.ts";
import { teamFields, teamHasFrozenAgents } from "./team-fields.ts";

export const data: NamedTask<DataTaskSettings> = {
  schema: z.strictObject({ name: z.literal("data"), data: dataSettingsSchema, ...teamFields }),
  title: ({ team }) => `data/${teamTitle(team)}`,
  about: ({ team }) => aboutTeam("a question of the data", team),
  world: () => null,
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
