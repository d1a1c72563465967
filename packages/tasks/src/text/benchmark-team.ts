import { type BenchmarkProblem, distribute } from "@laconic/benchmarks";
import { type AgentId, LaconicError, type Problem } from "@laconic/core";
import { budgeted } from "@laconic/topologies";
import { listed, presetsAmong, type TeamChoice, teamOf } from "./teams/team-of.ts";
import type { TextTeam, TextTeamOptions } from "./teams/text-team.ts";

/** Of the deal: the same everywhere, so that a team meets in a bench what it met in training. */
export const dealSeed = "laconic";

/**
 * Deals what a problem states among a team's holders: who knows what is part of the problem, the same in every run.
 * A problem that brings its own views keeps them.
 * @returns null where less than two facts could be dealt, and for programs and texts: they are one piece
 */
export function dealTo(holders: readonly AgentId[]): <P extends Problem>(problem: P) => P | null {
  return (problem) => {
    if (problem.views) return problem;
    const kind = (problem as Partial<BenchmarkProblem>).grading?.kind;
    if (kind === "code" || kind === "program" || kind === "writing") return null;
    return distribute(problem, holders, dealSeed)?.problem ?? null;
  };
}

/** Which team a benchmark task has. */
export interface TeamSettings {
  /** Several: each problem is played on one of them, and the collaborator learns for all. */
  readonly team: TeamChoice | readonly TeamChoice[];
  /** Holders of a star or chain, debaters, agents of a layer or graph. Default 3. */
  readonly agents?: number;
  /** Of a debate or graph; layers of a layered team. Default 2. */
  readonly rounds?: number;
  /** Most tokens of a reply of those who learn. Default 768, AgentPO's. */
  readonly replyTokens?: number;
  /** Most tokens of a reply of those who do not. Default 2048, AgentPO's. */
  readonly actorTokens?: number;
  /** Which random graph it is. Default 0. */
  readonly graphSeed?: string | number;
  /** Chance of each edge of a random graph. Default 0.5. */
  readonly density?: number;
  /** Tells every agent the run's budget and what is left of it. */
  readonly showBudget?: boolean;
}

/** Settings of a team that leaves them out. */
export const teamDefaults = { agents: 3, rounds: 2, replyTokens: 768, actorTokens: 2048, showBudget: false } as const;

/** Tokens of a reply of a pair by default, MAGRPO's. */
export const pairTokens = 256;

/** What a team is told of its answers, and of the run's budget. */
export interface TeamForms extends Pick<TextTeamOptions, "answerForm" | "read" | "same" | "family" | "benchmark"> {
  /** The run's B, which every agent's view then has. */
  readonly targetTokens?: number | undefined;
}

/**
 * The team of a benchmark task, with what its settings leave out.
 * @throws LaconicError `config_invalid` for a setting without effect on the team, and as {@link teamOf}
 */
export function benchmarkTeam(settings: TeamSettings, { targetTokens, ...forms }: TeamForms): TextTeam {
  const { team: given, graphSeed, density, ...common } = { ...teamDefaults, ...settings };
  const { agents, rounds, replyTokens, actorTokens, showBudget } = common;
  checkEffects(settings);
  const team = teamOf(given, {
    agents,
    rounds,
    replyTokens,
    actorTokens,
    ...forms,
    ...(graphSeed !== undefined && { graphSeed }),
    ...(density !== undefined && { density }),
    ...(showBudget && { showBudget }),
  });
  // Prompts of one's own may read it too.
  return targetTokens === undefined ? team : { ...team, topology: budgeted(team.topology, { targetTokens }) };
}

function checkEffects({ team, ...settings }: TeamSettings): void {
  const refuse = (key: string, reason: string): never => {
    throw new LaconicError("config_invalid", `task.${key}: has no effect, because ${reason}; remove it`, {
      key: `task.${key}`,
    });
  };
  const choices = listed(team);
  const own = choices.some((choice) => typeof choice === "function");
  for (const key of ["graphSeed", "density"] as const)
    if (settings[key] !== undefined && !own && !presetsAmong(team).some(({ heeds }) => heeds.includes(key)))
      refuse(key, "the graph of this team is not random");
  const made = choices.some((choice) => typeof choice === "function" || presetsAmong(choice).length > 0);
  if (settings.showBudget && !made) refuse("showBudget", "this team brings prompts of its own");
}
