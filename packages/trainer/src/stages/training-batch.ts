import { inputError, LaconicError, ragged, statisticOf } from "@laconic/core";
import type {
  Advantages,
  AgentId,
  Diagnostics,
  Estimator,
  Grouping,
  Ragged,
  TokenTrace,
  TrainingSequence,
  Utterance,
} from "@laconic/core";
import { findBadLogProb, sampledLogProbRange } from "@laconic/core/numeric";
import { groupIndex, type GroupKey } from "@laconic/gspo";
import type { Prices } from "@laconic/rewards";
import type { TrainConfig } from "../settings/config.ts";
import { type ScoredRollout, rewardOfSteps } from "./score.ts";
import type { TreeCredits } from "./tree-rollout.ts";

/** One sequence per trained utterance, with advantages. */
export interface TrainingBatch {
  readonly sequences: readonly TrainingSequence[];
  readonly utterances: readonly Utterance[];
  readonly episodes: Int32Array;
  readonly problems: Int32Array;
  /** Advantage per sequence, [S], or per trained token. */
  readonly advantages: Float64Array;
  /** log π reported by the sampler. */
  readonly sampledLogProbs: Ragged;
  /** Utterances without tokens, which are not trained. */
  readonly empty: number;
  readonly estimatorState: unknown;
  readonly diagnostics: Diagnostics;
}

interface Trained {
  readonly utterance: Utterance;
  readonly trace: TokenTrace;
  readonly episode: number;
  readonly scored: ScoredRollout;
}

interface Estimation {
  readonly estimator: Estimator;
  readonly state: unknown;
  readonly groupBy: GroupKey;
  readonly weightBy: TrainConfig["weightBy"];
  /** Custom grouping; null for `groupBy`. */
  readonly grouping?: Grouping | null;
  readonly prices: Prices;
  /** Tree advantages, in place of the estimator's: episodes share replies. */
  readonly credits?: TreeCredits | undefined;
}

/**
 * @param agents - of the trained policy
 * @throws LaconicError `input_invalid` for a missing token trace or a wrong number of log-probs; `numeric_invalid` for
 * an impossible log-prob; `reward_invalid` for terms of single agents in groups with several
 */
export async function trainingBatch(
  scored: readonly ScoredRollout[],
  temperature: number,
  agents: ReadonlySet<string>,
  estimation: Estimation,
): Promise<TrainingBatch> {
  const { credits } = estimation;
  const spoken = scored.flatMap((rollout, episode) => spokenBy(agents, rollout, episode));
  const seen = new Set<TokenTrace>();
  const once = credits ? spoken.filter(({ trace }) => !seen.has(trace) && seen.add(trace)) : spoken;
  const trained = once.filter(({ trace }) => trace.tokens.length > 0);
  const {
    advantages,
    diagnostics = {},
    state,
  } = credits ? advantagesOfTree(trained, credits) : await advantagesOf(scored, trained, estimation);
  const sampledLogProbs = ragged(trained.map(({ trace }) => trace.logProbs));
  checkLogProbs(trained, sampledLogProbs);
  return {
    sequences: trained.map(({ trace }) => ({
      promptTokens: trace.promptTokens,
      completionTokens: trace.tokens,
      temperature,
    })),
    utterances: trained.map(({ utterance }) => utterance),
    episodes: Int32Array.from(trained, ({ episode }) => episode),
    problems: Int32Array.from(trained, (item) => item.scored.group),
    advantages,
    sampledLogProbs,
    empty: once.length - trained.length,
    estimatorState: state ?? estimation.state,
    diagnostics,
  };
}

function spokenBy(agents: ReadonlySet<string>, scored: ScoredRollout, episode: number): Trained[] {
  return (
    scored.episode.utterances
      .filter(({ agent, opponent }) => agents.has(agent) && opponent === undefined)
      // A team can silence an agent for a turn: without tokens there is nothing to learn.
      .filter(({ trace, writtenTokens }) => trace !== undefined || writtenTokens > 0)
      .map((utterance) => {
        const { agent, model, trace } = utterance;
        if (trace) return { utterance, trace, episode, scored };
        throw inputError(
          `agent "${agent}" is trained, but its model ${model.id} reports no token trace; train a local policy, or freeze the agent`,
          { agent, model: model.id },
        );
      })
  );
}

function checkLogProbs(trained: readonly Trained[], logProbs: Ragged): void {
  const refuse = (code: "input_invalid" | "numeric_invalid", row: number, reason: string, detail: object): never => {
    const { utterance, episode } = trained[row]!;
    const { agent, turn } = utterance;
    throw new LaconicError(code, `episode ${episode}, agent "${agent}", turn ${turn}${reason}`, {
      row,
      episode,
      agent,
      turn,
      ...detail,
    });
  };
  trained.forEach(({ trace }, row) => {
    if (trace.logProbs.length === trace.tokens.length) return;
    const counts = `${trace.logProbs.length} log-probs for ${trace.tokens.length} tokens`;
    refuse("input_invalid", row, `: its sampler reports ${counts}`, {});
  });
  const bad = findBadLogProb(logProbs, sampledLogProbRange);
  if (!bad) return;
  const { sequence, token, value } = bad;
  const { min, max } = sampledLogProbRange;
  const reason = `, token ${token}: its sampler reports the log-prob ${value}, expected one from ${min} to ${max}`;
  refuse("numeric_invalid", sequence, reason, { token, value });
}

function advantagesOfTree(trained: readonly Trained[], credits: TreeCredits): Advantages {
  const advantages = Float64Array.from(trained, ({ trace }) => credits.advantages.get(trace) ?? 0);
  return {
    advantages,
    diagnostics: { advantages: statisticOf(advantages), frac_reward_zero_std: credits.nodesWithoutSpread },
  };
}

/** Row of the estimator's batch: an episode, or an utterance if the grouping key names agents or turns. */
interface Row {
  readonly scored: ScoredRollout;
  readonly reward: number;
  /** Reward of this turn alone. */
  readonly turnReward: number;
  /** Environment rewards from this turn on. */
  readonly stepReward: number;
  readonly agent?: AgentId;
  /** Sequence indices. */
  readonly sequences: readonly number[];
}

async function advantagesOf(
  scored: readonly ScoredRollout[],
  trained: readonly Trained[],
  { estimator, state, groupBy, weightBy, grouping, prices }: Estimation,
): Promise<Advantages> {
  const rows = groupBy === "prompt" ? episodeRows(scored, trained) : trained.map(utteranceRow);
  const groups =
    groupBy === "prompt" ? Int32Array.from(scored, ({ group }) => group) : groupsOf(trained, groupBy, grouping);
  const column = (of: (row: Row) => number): Float64Array => Float64Array.from(rows, of);
  const tokensOf = (row: number): number => trained[row]!.trace.tokens.length;
  const lengths = rows.map(({ sequences }) => sequences.reduce((sum, row) => sum + tokensOf(row), 0));
  const result = await estimator.estimate(
    {
      rewards: column(({ reward }) => reward),
      turnRewards: column(({ turnReward }) => turnReward),
      stepRewards: column(({ stepReward }) => stepReward),
      groups,
      ...(weightBy === "episode" && { weights: weightsOf(rows, groups) }),
      offsets: offsetsOf(lengths),
      terms: columns(rows, ({ measured }) => measured.terms ?? { task: measured.task }),
      costs: columns(rows, ({ measured }) => measured.costs),
      prices,
      problems: rows.map((row) => row.scored.problem),
      episodes: rows.map((row) => row.scored.episode),
      utterances: rows.map(({ sequences }) => sequences.map((row) => trained[row]!.utterance)),
      ...(groupBy.includes("agent") && { agents: rows.map(({ agent }) => agent!) }),
      ...(rows.every((row) => row.scored.greedyReward !== undefined) && {
        greedyRewards: column((row) => row.scored.greedyReward!),
      }),
    },
    state,
  );
  return { ...result, advantages: ofSequences(result.advantages, rows, trained) };
}

/** Row weights: 1 / rows of the episode in its group. */
function weightsOf(rows: readonly Row[], groups: Int32Array): Float64Array {
  const counts = new Map<ScoredRollout, Map<number, number>>();
  rows.forEach(({ scored }, row) => {
    const sizes = counts.get(scored) ?? new Map<number, number>();
    counts.set(scored, sizes.set(groups[row]!, (sizes.get(groups[row]!) ?? 0) + 1));
  });
  return Float64Array.from(rows, ({ scored }, row) => 1 / (counts.get(scored)?.get(groups[row]!) ?? 1));
}

function groupsOf(trained: readonly Trained[], groupBy: GroupKey, grouping: Grouping | null = null): Int32Array {
  const items = trained.map(({ utterance, scored: { group, episode, problem } }) =>
    grouping
      ? { problem: grouping({ utterance, episode, problem }) }
      : { problem: group, agent: utterance.agent, turn: utterance.turn },
  );
  return groupIndex(items, grouping ? "prompt" : groupBy);
}

function episodeRows(scored: readonly ScoredRollout[], trained: readonly Trained[]): Row[] {
  const sequences = scored.map((): number[] => []);
  trained.forEach(({ episode }, row) => sequences[episode]?.push(row));
  return scored.map((rollout, i) => {
    if (rollout.agentRewards.size > 0 || rollout.turnRewards.size > 0)
      throw new LaconicError(
        "reward_invalid",
        `problem "${rollout.problem.id}": the reward gives single ${rollout.agentRewards.size > 0 ? "agents" : "turns"} terms of their own, but a group holds whole episodes; set groupBy to prompt+agent or prompt+agent+turn`,
        { problemId: rollout.problem.id },
      );
    return {
      scored: rollout,
      reward: rollout.reward,
      turnReward: 0,
      stepReward: 0,
      sequences: sequences[i] ?? [],
    };
  });
}

function utteranceRow({ utterance: { agent, turn }, scored }: Trained, row: number): Row {
  const turnReward = scored.turnRewards.get(turn) ?? 0;
  const reward = (scored.credit?.get(turn) ?? scored.reward) + (scored.agentRewards.get(agent) ?? 0) + turnReward;
  return { scored, agent, reward, turnReward, stepReward: rewardOfSteps(scored, agent, turn), sequences: [row] };
}

function offsetsOf(lengths: readonly number[]): Int32Array {
  const offsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, i) => (offsets[i + 1] = offsets[i]! + length));
  return offsets;
}

/** Columns by name; NaN for missing values. */
function columns(
  rows: readonly Row[],
  of: (scored: ScoredRollout) => Readonly<Record<string, number>>,
): Record<string, Float64Array> {
  const names = new Set(rows.flatMap(({ scored }) => Object.keys(of(scored))));
  return Object.fromEntries(
    [...names].map((name) => [name, Float64Array.from(rows, ({ scored }) => of(scored)[name] ?? Number.NaN)]),
  );
}

/** Expands row advantages to sequences, or to tokens if there is one per token. */
function ofSequences(advantages: Float64Array, rows: readonly Row[], trained: readonly Trained[]): Float64Array {
  if (advantages.length === rows.length) {
    const spread = new Float64Array(trained.length);
    rows.forEach(({ sequences }, i) => sequences.forEach((row) => (spread[row] = advantages[i]!)));
    return spread;
  }
  const starts = offsetsOf(trained.map(({ trace }) => trace.tokens.length));
  const ordered = new Float64Array(advantages.length);
  let from = 0;
  for (const row of rows.flatMap(({ sequences }) => sequences)) {
    const { length } = trained[row]!.trace.tokens;
    ordered.set(advantages.subarray(from, from + length), starts[row]);
    from += length;
  }
  return ordered;
}
