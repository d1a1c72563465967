import type { AgentId, Episode, LanguageModel, PoolMember } from "@laconic/core";
import { meanOf } from "@laconic/core/numeric";
import { rewardTotal, scoreValue, type RewardOutcome } from "@laconic/rewards";
import type { OpponentSettings, TrainConfig } from "../settings/config.ts";
import type { TrainingParts } from "../spec/parts.ts";
import type { Rollout } from "../rollout.ts";

export interface OpponentState {
  readonly name: string;
  /** Training step; null for another run. */
  readonly step: number | null;
  readonly games: number;
  readonly points: number;
}

export interface Opponent {
  readonly name: string;
  readonly models: Readonly<Record<AgentId, LanguageModel>>;
}

export type OpponentOf = (group: number, episode: number) => Opponent | null;

/** Results against one opponent. */
export interface OpponentResult {
  readonly games: number;
  readonly winRate: number;
  readonly interval: readonly [low: number, high: number];
}

export function selfAt(step: number): OpponentState {
  return { name: `step-${step}`, step, games: 0, points: 0 };
}

export function poolMember({ name, step, games, points }: OpponentState): PoolMember {
  return { name, step, games, winRate: games === 0 ? 0.5 : points / games };
}

export function withOpponent(episode: Episode, opponent: string, agents: readonly AgentId[]): Episode {
  const named = <T extends { readonly agent: AgentId }>(item: T): T =>
    agents.includes(item.agent) ? { ...item, opponent } : item;
  return {
    ...episode,
    utterances: episode.utterances.map(named),
    ledger: { calls: episode.ledger.calls.map(named) },
  };
}

export function withoutOpponents(episode: Episode): Episode {
  const isOwn = ({ opponent }: { readonly opponent?: string }): boolean => opponent === undefined;
  const { utterances, ledger } = episode;
  if (utterances.every(isOwn) && ledger.calls.every(isOwn)) return episode;
  return { ...episode, utterances: utterances.filter(isOwn), ledger: { calls: ledger.calls.filter(isOwn) } };
}

export interface Game {
  readonly opponent: string;
  /** 1 win, 0 loss, 0.5 draw. */
  readonly points: number;
}

/**
 * Result of a game; null without an opponent or a score. The side with more reward terms on average wins; without terms
 * by agent or turn, the grade counts.
 * @param learners - agents of all policies
 */
export function gameOf(
  { episode, score }: Pick<Rollout, "episode"> & { readonly score: RewardOutcome | null },
  { sides }: Pick<OpponentSettings, "sides">,
  learners: readonly AgentId[],
): Game | null {
  const played = episode.utterances.find(({ opponent }) => opponent !== undefined);
  if (played?.opponent === undefined || score?.status !== "scored") return null;
  const { opponent, agent } = played;
  const { agents = {}, turns = {} } = score.reward;
  if (Object.keys(agents).length === 0 && Object.keys(turns).length === 0)
    return { opponent, points: Math.min(1, Math.max(0, scoreValue(score))) };
  const earned = (id: AgentId): number =>
    rewardTotal(agents[id] ?? {}, episode.problemId) +
    episode.utterances
      .filter((utterance) => utterance.agent === id)
      .reduce((sum, { turn }) => sum + rewardTotal(turns[turn] ?? {}, episode.problemId), 0);
  const mean = (ids: readonly AgentId[]): number => meanOf(ids.map(earned)) ?? 0;
  const side = sides.find((ids) => ids.includes(agent)) ?? [agent];
  const ahead = mean(learners.filter((id) => !side.includes(id))) - mean(side);
  return { opponent, points: ahead > 0 ? 1 : ahead < 0 ? 0 : 0.5 };
}

export function gamesOf(
  rollouts: readonly Rollout[],
  { opponents }: Pick<TrainConfig, "opponents">,
  { policies }: Pick<TrainingParts, "policies">,
): Game[] {
  const learners = Object.values(policies).flatMap(({ agents }) => agents);
  return opponents ? rollouts.flatMap((rollout) => gameOf(rollout, opponents, learners) ?? []) : [];
}

export function withGames(pool: readonly OpponentState[], games: readonly Game[]): OpponentState[] {
  return pool.map((state) => {
    const played = games.filter(({ opponent }) => opponent === state.name);
    const points = played.reduce((sum, game) => sum + game.points, state.points);
    return { ...state, games: state.games + played.length, points };
  });
}

export function withSelf(
  pool: readonly OpponentState[],
  self: OpponentState,
  { keep, drop, every }: Pick<OpponentSettings, "keep" | "drop" | "every">,
): OpponentState[] {
  const runs = pool.filter(({ step }) => step === null);
  const selves = [...pool.filter(({ step }) => step !== null), self];
  while (selves.length > keep) {
    const worths = selves.slice(0, -1).map((selve) => worth[drop](selve, every));
    selves.splice(Math.max(0, worths.indexOf(Math.min(...worths))), 1);
  }
  return [...selves, ...runs];
}

/** The past self of lowest value is dropped; the oldest among equals. */
const worth: Readonly<Record<OpponentSettings["drop"], (self: OpponentState, every: number) => number>> = {
  oldest: ({ step }) => step ?? 0,
  beaten: (self) => -poolMember(self).winRate,
  // Exponent of 2 in its number: odd numbers are dropped first, then every fourth. Gaps differ at most twofold.
  spread: ({ step }, every) => {
    const number = (step ?? 0) / every;
    return number === 0 ? Infinity : number & -number;
  },
};
