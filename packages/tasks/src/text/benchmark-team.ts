import { type BenchmarkProblem, distribute } from "@laconic/benchmarks";
import { type AgentId, LaconicError, type Problem } from "@laconic/core";
import { budgeted } from "@laconic/topologies";
import { listed, presetsAmong, type TeamChoice, teamOf } from "./teams/team-of.ts";
import type { TextTeam, TextTeamOptions } from "./teams/text-team.ts";

/** Seed of the deal: a team meets the same deal in training and in a bench. */
export const dealSeed = "laconic";

/**
 * Deals what a problem states among a team's holders, the same in every run; a problem with views keeps them.
 * @returns null if less than two facts could be dealt, and for programs and texts, which are one piece
 */
export function dealTo(holders: readonly AgentId[]): <P extends Problem>(problem: P) => P | null {
  return (problem) => {
    if (problem.views) return problem;
    const kind = (problem as Partial<BenchmarkProblem>).grading?.kind;
    if (kind === "code" || kind === "program" || kind === "writing") return null;
    return distribute(problem, holders, dealSeed)?.problem ?? null;
  };
}

/** The team of a task over text. */
export interface TeamSettings {
  /** With several teams, each problem is played on one of them, and the collaborator learns for all. */
  readonly team: TeamChoice | readonly TeamChoice[];
  /** Holders of a star or chain, debaters, agents of a layer or graph. Default 3. */
  readonly agents?: number;
  /** Rounds of a debate or graph; layers of a layered team. Default 2. */
  readonly rounds?: number;
  /** Max reply tokens of agents that learn. Default 768, AgentPO's. */
  readonly replyTokens?: number;
  /** Max reply tokens of agents that do not learn. Default 2048, AgentPO's. */
  readonly actorTokens?: number;
  /** Seed of a random graph. Default 0. */
  readonly graphSeed?: string | number;
  /** Probability of each edge of a random graph. Default 0.5. */
  readonly density?: number;
  /** Whether prompts state the run's budget and what is left of it. */
  readonly showBudget?: boolean;
}

/** Defaults of {@link TeamSettings}. */
export const teamDefaults = { agents: 3, rounds: 2, replyTokens: 768, actorTokens: 2048, showBudget: false } as const;

/** Default reply tokens of a pair, MAGRPO's. */
export const pairTokens = 256;

/** How a team writes and reads answers, and the run's budget. */
export interface TeamForms extends Pick<TextTeamOptions, "answerForm" | "read" | "same" | "family" | "benchmark"> {
  /** The run's B, which every agent's view then has. */
  readonly targetTokens?: number | undefined;
}

/**
 * The team of a task over text.
 * @throws LaconicError `config_invalid` for a setting without effect on the team, and as {@link teamOf}
 */
export function benchmarkTeam(settings: TeamSettings, { targetTokens, ...forms }: TeamForms): TextTeam {
  const {
    team: choice,
    agents,
    rounds,
    replyTokens,
    actorTokens,
    graphSeed,
    density,
    showBudget,
  } = {
    ...teamDefaults,
    ...settings,
  };
  checkEffects(settings);
  const team = teamOf(choice, {
    agents,
    rounds,
    replyTokens,
    actorTokens,
    ...forms,
    ...(graphSeed !== undefined && { graphSeed }),
    ...(density !== undefined && { density }),
    ...(showBudget && { showBudget }),
  });
  return targetTokens === undefined ? team : { ...team, topology: budgeted(team.topology, { targetTokens }) };
}

function checkEffects({ team, ...settings }: TeamSettings): void {
  const refuse = (key: string, reason: string): never => {
    throw new LaconicError("config_invalid", `task.${key}: has no effect, because ${reason}; remove it`, {
      key: `task.${key}`,
    });
  };
  const presets = presetsAmong(team);
  const hasMaker = listed(team).some((choice) => typeof choice === "function");
  for (const key of ["graphSeed", "density"] as const)
    if (settings[key] !== undefined && !hasMaker && !presets.some(({ heeds }) => heeds.includes(key)))
      refuse(key, "the graph of this team is not random");
  if (settings.showBudget && !hasMaker && presets.length === 0) refuse("showBudget", "this team has its own prompts");
}
