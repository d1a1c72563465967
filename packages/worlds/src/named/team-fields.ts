import * as z from "zod";
import { benchmarkTeam, type TeamSettings } from "../text/benchmark-team.ts";
import { teamNames, type TeamName } from "../text/teams/presets.ts";

type Optional<T> = z.ZodExactOptional<z.ZodType<T>>;

/** The settings of a team over text that has a name. */
export const teamFields: {
  readonly team: z.ZodType<TeamName | TeamName[]>;
  readonly graphSeed: Optional<string | number>;
  readonly showBudget: Optional<boolean>;
} & Readonly<Record<"agents" | "rounds" | "replyTokens" | "actorTokens" | "density", Optional<number>>> = {
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
export function teamHasFrozenAgents(settings: TeamSettings): boolean {
  const { topology, trained } = benchmarkTeam(settings, { answerForm: "", read: (reply) => reply });
  return topology.agents.some((agent) => !trained.includes(agent));
}
