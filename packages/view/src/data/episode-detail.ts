import {
  environmentName,
  type Problem,
  countTokens,
  isRecord,
  type Ledger,
  type TokenCount,
  type UnknownRecord,
} from "@laconic/core";
import { costBreakdown, type Charge, type TurnCost, chargesOf } from "@laconic/core/ledger";
import { meanOf } from "@laconic/core/numeric";
import {
  type StoredContent,
  type StoredEpisode,
  type StoredUtterance,
  unpackNumbers,
  type StoredPolicy,
  type StoredRollout,
} from "@laconic/core/run-folder";
import { rewardTerms, tokenCountOf } from "@laconic/rewards";
import type { EpisodeChange } from "@laconic/trainer";
import type { EpisodeDetail, EpisodeKind, MessageValue, TurnDetail } from "../protocol.ts";

type Advantage = number | readonly number[];

interface Training {
  readonly advantages: ReadonlyMap<number, Advantage>;
  readonly terms: Readonly<Record<string, number | null>>;
  readonly prices: Readonly<Record<string, number | null>>;
  readonly charges: readonly Charge[];
  readonly messageValue: readonly MessageValue[];
}

const untrained: Training = { advantages: new Map(), terms: {}, prices: {}, charges: [], messageValue: [] };

/** Returns an episode of a record. @throws Error for an unknown number */
export function episodeDetail(
  kind: EpisodeKind,
  content: StoredContent,
  number: number,
  costs: CostSettings,
): Omit<EpisodeDetail, "row" | "others"> {
  const [rollout, played] = [content.rollouts?.[number], content.played?.[number]];
  const isTrained = kind === "training";
  const problem = isTrained ? rollout && content.problems?.[rollout.group] : played?.problem;
  const episode = content.episodes[(isTrained ? rollout : played)?.episode ?? -1];
  if (!problem || !episode) throw new Error(`episode ${number} is missing`);
  return detailOf(content, problem, episode, isTrained ? trainingOf(content, number, costs) : untrained);
}

function trainingOf(content: StoredContent, number: number, costs: CostSettings): Training {
  const { terms = {}, replays = [], episode = -1 } = content.rollouts?.[number] ?? {};
  const grade = gradeOf(content.episodes[episode]);
  const utterances = content.episodes[episode]?.utterances.flatMap((index) => content.utterances[index] ?? []) ?? [];
  return {
    advantages: advantagesOf(content),
    terms,
    prices: content.prices ?? {},
    charges: trainedCharges(content, number, costs),
    messageValue: replays.flatMap(([change, other]) => {
      const value = grade - gradeOf(content.episodes[other]);
      const [turn, ...more] = utterances.filter((utterance) => isRemoved(utterance, change));
      return turn && more.length === 0 && !Number.isNaN(value) ? [{ turn: turn.turn, value, interval: null }] : [];
    }),
  };
}

function isRemoved({ agent, turn }: StoredUtterance, { silent = [], messages = {} }: EpisodeChange): boolean {
  return silent.includes(agent) || messages[turn] === "";
}

/** NaN without a score. */
export function gradeOf(episode: Pick<StoredEpisode, "score"> | undefined): number {
  const { score } = episode ?? {};
  return score?.status === "scored" && typeof score.value === "number" ? score.value : Number.NaN;
}

/** Keyed by utterance index. */
function advantagesOf(content: StoredContent): ReadonlyMap<number, Advantage> {
  const byUtterance = new Map<number, Advantage>();
  for (const { sequences, advantages } of Object.values(content.policies ?? {})) {
    const values = unpackNumbers(advantages);
    let start = 0;
    sequences.forEach(([rollout, turn], i) => {
      const { episode = -1 } = content.rollouts?.[rollout] ?? {};
      const utterance = content.episodes[episode]?.utterances.find((index) => content.utterances[index]?.turn === turn);
      const length = content.utterances[utterance ?? -1]?.tokens?.length ?? 0;
      const isPerTurn = values.length === sequences.length;
      const advantage = isPerTurn ? values[i] : Array.from(values.subarray(start, start + length));
      if (utterance !== undefined && advantage !== undefined) byUtterance.set(utterance, advantage);
      start += length;
    });
  }
  return byUtterance;
}

function detailOf(
  content: StoredContent,
  problem: Problem,
  episode: StoredEpisode,
  { advantages, terms, prices, charges, messageValue }: Training,
): Omit<EpisodeDetail, "row" | "others"> {
  const utterances = episode.utterances.map((index) => {
    const utterance = content.utterances[index];
    if (!utterance) throw new Error(`utterance ${index} is missing`);
    return { index, utterance };
  });
  const calls = new Map(episode.ledger.calls.map((call) => [call.turn, call]));
  const cost = costBreakdown(
    { ledger: episode.ledger, utterances: utterances.map((utterance) => utterance.utterance) },
    charges,
  );
  const costs = new Map(cost.turns.flatMap((turn) => (turn.agent === environmentName ? [] : [[turn.turn, turn]])));
  return {
    problem,
    answer: episode.answer,
    turns: utterances.map(({ index, utterance }): TurnDetail => {
      const { agent, opponent = null, turn, round, text, silent, writtenTokens, deliveredTo } = utterance;
      const advantage = advantages.get(index) ?? null;
      const observations = (episode.observations ?? []).filter((observation) => observation.turn === turn);
      const observed = observations.find((observation) => observation.text !== "");
      return {
        agent,
        opponent,
        turn,
        round,
        text,
        silent,
        writtenTokens,
        deliveredTo,
        reads: calls.get(turn)?.reads.flatMap((read) => (read.from === environmentName ? [] : [read.turn])) ?? [],
        observed: observed ? { text: observed.text, tokens: observed.tokens } : null,
        earned: observations[0]?.reward ?? null,
        view: Object.hasOwn(problem.views ?? {}, agent) ? (problem.views?.[agent] ?? null) : null,
        tokens: tokensOf(content, index, utterance, advantage, costs.get(turn)),
        advantage: typeof advantage === "number" ? advantage : advantage && meanOf(advantage),
      };
    }),
    terms: numbersOf(terms),
    prices: numbersOf(prices),
    cost,
    messageValue,
  };
}

function tokensOf(
  content: StoredContent,
  index: number,
  { tokens }: StoredUtterance,
  advantage: Advantage | null,
  cost: TurnCost | undefined,
): TurnDetail["tokens"] {
  if (!tokens) return null;
  const start = content.utterances.slice(0, index).reduce((sum, other) => sum + (other.tokens?.length ?? 0), 0);
  const logProbs = unpackNumbers(content.sampledLogProbs).subarray(start, start + tokens.length);
  return tokens.map((id, t) => ({
    id,
    text: "",
    logProb: logProbs[t] ?? Number.NaN,
    advantage: typeof advantage === "number" ? advantage : (advantage?.[t] ?? null),
    price: tokenCost(cost, t),
  }));
}

/** Message tokens come first; readers do not get the end token. */
function tokenCost(turn: TurnCost | undefined, token: number): number {
  if (!turn) return 0;
  const { readers, message, end, unread } = turn;
  const isMessage = token < message;
  const cost = isMessage ? readers.reduce((sum, reader) => sum + reader.cost, 0) : end.cost + unread.cost;
  return cost === 0 ? 0 : cost / (isMessage ? message : end.tokens + unread.tokens);
}

/** Drops NaN and infinity, which JSON stores as null. */
function numbersOf(values: Readonly<Record<string, number | null>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === "number"),
  );
}

export interface CostSettings {
  /** Names of all costs. Default: those of Eq. 1. */
  readonly names: readonly string[];
  readonly counts: ReadonlyMap<string, TokenCount>;
  readonly costWhenTaskAtLeast?: number;
}

/** @param train - training settings from the run folder */
export function costSettingsOf({ costs, costWhenTaskAtLeast: from }: UnknownRecord): CostSettings {
  const threshold = typeof from === "number" && from > 0 && from <= 1 ? { costWhenTaskAtLeast: from } : {};
  if (!isRecord(costs)) {
    const counts = new Map([["tokens", { kind: "tokens-written" } as const]]);
    return { names: ["tokens", "turns", "repetition"], counts, ...threshold };
  }
  const counts = new Map<string, TokenCount>();
  for (const [name, cost] of Object.entries(costs)) {
    const tokens = tokenCountOf(cost);
    if (tokens) counts.set(name, tokens);
  }
  return { names: Object.keys(costs), counts, ...threshold };
}

/** Policies with separate prices pay for their agents, the team's prices for others. */
export function trainedCharges(content: StoredContent, number: number, settings: CostSettings): readonly Charge[] {
  const rollout = content.rollouts?.[number];
  if (!rollout) return [];
  const played = content.episodes[rollout.episode];
  const { ledger = { calls: [] } } = played ?? {};
  // Transcripts have terms without units, so token costs are counted here.
  const units =
    rollout.costs ??
    Object.fromEntries(
      settings.names.map((name) => {
        const count = settings.counts.get(name);
        return [name, count ? countTokens(ledger, count) : Number.NaN];
      }),
    );
  const team = chargesOf(units, rollout.terms, settings.counts);
  const policies = Object.values(content.policies ?? {});
  const paying = policies.filter(({ rewards }) => rewards !== undefined);
  if (paying.length === 0) return team;
  const teamUnits = new Map(team.map((charge) => [charge.name, charge.units]));
  const episode = { rollout, number, ledger, task: gradeOf(played), settings, teamUnits };
  const charges = paying.flatMap((policy) => policyCharges(policy, episode));
  if (paying.length === policies.length) return charges;
  const payers = new Set(paying.flatMap(({ agents }) => agents));
  const others = new Set(ledger.calls.map(({ agent }) => agent).filter((agent) => !payers.has(agent)));
  const rest = team.map((charge) => {
    if (!charge.tokens || countTokens(ledger, charge.tokens) !== charge.units) return charge;
    const count = countTokens(callsOf(ledger, others), charge.tokens);
    const cost = charge.units === 0 ? 0 : (charge.cost * count) / charge.units;
    return { ...charge, units: count, cost, agents: others };
  });
  return [...charges, ...rest];
}

interface ChargedEpisode {
  readonly rollout: StoredRollout;
  readonly number: number;
  readonly ledger: Ledger;
  readonly task: number;
  readonly settings: CostSettings;
  readonly teamUnits: ReadonlyMap<string, number>;
}

/** A policy's record has reward and prices only; the rest is "other costs". */
function policyCharges(
  { agents, prices, rewards }: StoredPolicy,
  { rollout, number, ledger, task, settings, teamUnits }: ChargedEpisode,
): readonly Charge[] {
  const members = new Set(agents);
  const counted = [...settings.counts].filter(
    ([name, count]) => (prices[name] ?? 0) > 0 && countTokens(ledger, count) === teamUnits.get(name),
  );
  const costs = Object.fromEntries(
    counted.map(([name, count]) => [name, countTokens(callsOf(ledger, members), count)]),
  );
  const lambdas = Object.fromEntries(counted.map(([name]) => [name, prices[name] ?? 0]));
  const { costWhenTaskAtLeast } = settings;
  const terms = rewardTerms({ task, costs }, lambdas, costWhenTaskAtLeast === undefined ? {} : { costWhenTaskAtLeast });
  const charges = chargesOf(costs, terms, settings.counts).map((charge) => ({ ...charge, agents: members }));
  const earned = Object.entries(rollout.terms).reduce(
    (sum, [name, value]) => sum + (teamUnits.has(name) ? 0 : (value ?? 0)),
    0,
  );
  const priced = charges.reduce((sum, { cost }) => sum + cost, 0);
  const others = earned - (rewards?.[number] ?? Number.NaN) - priced;
  return Math.abs(others) > 1e-9 ? [...charges, { name: "other costs", cost: others, units: Number.NaN }] : charges;
}

function callsOf({ calls }: Ledger, agents: ReadonlySet<string>): Ledger {
  return { calls: calls.filter(({ agent }) => agents.has(agent)) };
}
