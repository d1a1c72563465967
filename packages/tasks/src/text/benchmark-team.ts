import { distribute } from "@laconic/benchmarks";
import { refuseSetting, type AgentId, type Problem, type Topology, present } from "@laconic/core";
import { budgeted } from "@laconic/topologies";
import { listed, presetsAmong, type TeamChoice, teamOf } from "./teams/team-of.ts";
import type { TeamSizes, TextTeam, TextTeamOptions } from "./teams/text-team.ts";

/** Same deal in training and benches. */
export const dealSeed = "laconic";

/**
 * Deals a problem's facts among holders, the same in every run.
 * @returns null with fewer than two facts, and for whole programs and texts
 */
export function dealTo(holders: readonly AgentId[]): <P extends Problem>(problem: P) => P | null {
  return (problem) => (problem.views ? problem : (distribute(problem, holders, dealSeed)?.problem ?? null));
}

/** Settings of a team over text. */
export interface TeamSettings extends TeamSizes {
  /** Several teams share the problems. */
  readonly team: TeamChoice | readonly TeamChoice[];
}

/** Defaults of {@link TeamSettings}. */
export const teamDefaults = { agents: 3, rounds: 2, replyTokens: 768, actorTokens: 2048, showBudget: false } as const;

/** Sources of prompts: this project, or the code of a method's authors. */
export const promptSources = ["ours", "published"] as const;

/** Source of `promptSources`. */
export type PromptSource = (typeof promptSources)[number];

/** Published texts by method. */
export interface TeamTexts {
  readonly training: NonNullable<TextTeamOptions["scripts"]>;
  /** AgentPO's critic has other prompts in tests. */
  readonly evaluation: TeamTexts["training"];
}

/** Default reply tokens of a pair, as in MAGRPO. */
export const pairTokens = 256;

/** Answer forms of a team, and the budget. */
export interface TeamForms extends Pick<TextTeamOptions, "answerForm" | "read" | "same" | "family" | "benchmark"> {
  readonly targetTokens?: number | undefined;
  /** Default: our prompts. */
  readonly texts?: TeamTexts | undefined;
}

/**
 * Team of a task over text.
 * @throws LaconicError `config_invalid` for a setting without effect, and as {@link teamOf}
 */
export function benchmarkTeam(settings: TeamSettings, { targetTokens, texts, ...forms }: TeamForms): TextTeam {
  const { team, agents, rounds, replyTokens, actorTokens, ...others } = { ...teamDefaults, ...settings };
  const { graphSeed, density, showBudget } = others;
  checkEffects(settings);
  const teamWith = (scripts?: TextTeamOptions["scripts"]): TextTeam =>
    teamOf(team, {
      agents,
      rounds,
      replyTokens,
      actorTokens,
      ...forms,
      ...present({ scripts, graphSeed, density }),
      ...(showBudget && { showBudget }),
    });
  const played = teamWith(texts?.training);
  const topology = texts ? withEvaluation(played.topology, teamWith(texts.evaluation).topology) : played.topology;
  return { ...played, topology: targetTokens === undefined ? topology : budgeted(topology, { targetTokens }) };
}

function withEvaluation(training: Topology, evaluation: Topology): Topology {
  return {
    ...training,
    run: (problem, context) => (context.isEvaluation ? evaluation : training).run(problem, context),
  };
}

function checkEffects({ team, ...settings }: TeamSettings): void {
  const refuse = (key: string, reason: string): never => {
    refuseSetting(`task.${key}`, `has no effect, because ${reason}; remove it`);
  };
  const presets = presetsAmong(team);
  const hasMaker = listed(team).some((choice) => typeof choice === "function");
  for (const key of ["graphSeed", "density"] as const)
    if (settings[key] !== undefined && !hasMaker && !presets.some(({ heeds }) => heeds.includes(key)))
      refuse(key, "the graph of this team is not random");
  if (settings.showBudget && !hasMaker && presets.length === 0) refuse("showBudget", "this team has its own prompts");
}
