import * as z from "zod";
import type { BenchmarkTaskSettings } from "../text/benchmark-task.ts";
import { aboutTeam } from "../text/teams/about-team.ts";
import { teamTitle } from "../text/teams/team-of.ts";
import type { NamedTask } from "./named-task.ts";
import { teamFields, teamHasFrozenAgents } from "./team-fields.ts";

export const benchmark: NamedTask<BenchmarkTaskSettings> = {
  schema: z.strictObject({
    name: z.literal("benchmark"),
    benchmark: z.string(),
    ...teamFields,
    file: z.string().min(1).exactOptional(),
  }),
  title: ({ benchmark: name, team }) => `benchmark/${name}/${teamTitle(team)}`,
  about: ({ benchmark: name, team }) => aboutTeam(`a question of ${name}`, team),
  world: () => null,
  hasFrozenAgents: teamHasFrozenAgents,
  open: async (settings, resources) => (await import("../text/benchmark-task.ts")).benchmarkTask(settings, resources),
};
