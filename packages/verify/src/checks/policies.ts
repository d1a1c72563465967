import type { Utterance } from "@laconic/core";
import type { Findings, Place } from "../findings.ts";
import type { PolicyRecord, StepRecord } from "../folder/record.ts";
import { advantagesOf, type Sample } from "../rules/advantages.ts";
import { lossOf } from "../rules/losses.ts";
import { total } from "../rules/numbers.ts";
import { settingsOf, unknownSetting, type Schedule, type TrainSettings } from "../rules/settings.ts";
import { treeAdvantages } from "../rules/tree-returns.ts";
import type { Rollout } from "./rollouts.ts";

/** A reply that a policy was trained on. */
interface Trained {
  readonly rollout: Rollout;
  readonly utterance: Utterance;
}

/** A policy in a step. */
interface PolicyStep {
  readonly findings: Findings;
  readonly place: Place & { readonly step: number; readonly policy: string };
  readonly train: TrainSettings;
  /** Those of the policy. */
  readonly settings: TrainSettings;
  readonly step: StepRecord;
  readonly rollouts: readonly Rollout[];
  readonly record: PolicyRecord;
  /** In the order of the batch. */
  readonly trained: readonly Trained[];
}

/** Batch, advantages, losses and learning rates of a policy in a step, each from the records before it. */
export function checkPolicy(
  findings: Findings,
  train: TrainSettings,
  step: StepRecord,
  rollouts: readonly Rollout[],
  policy: string,
): void {
  const record = step.policies[policy] as PolicyRecord;
  const place = { step: step.step, policy };
  const all = spokenBy(step, rollouts, record);
  const expected = all.map(({ rollout, utterance }) => [rollout.number, utterance.turn].join("/"));
  const found = record.sequences.map((sequence) => sequence.join("/"));
  findings.same("batch", place, "trained replies (episode/turn)", expected.toSorted(), found.toSorted());
  const trained = found.flatMap((name) => all[expected.indexOf(name)] ?? []);
  const own = { findings, place, train, settings: settingsOf(train, policy), step, rollouts, record, trained };
  checkEpochs(own);
  checkAdvantages(own);
  checkUpdates(own);
}

/** Every utterance of the policy's agents with a token, once. */
function spokenBy({ trees }: StepRecord, rollouts: readonly Rollout[], { agents }: PolicyRecord): readonly Trained[] {
  const seen = new Set<Utterance>();
  return rollouts.flatMap((rollout) =>
    rollout.episode.utterances.flatMap((utterance) => {
      const { agent, opponent } = utterance;
      if (!agents.includes(agent) || opponent !== undefined || tokensOf(utterance) === 0) return [];
      if (trees && seen.has(utterance)) return [];
      seen.add(utterance);
      return [{ rollout, utterance }];
    }),
  );
}

const tokensOf = ({ trace }: Utterance): number => trace?.tokens.length ?? 0;

/** In each epoch every reply goes into one optimiser step. */
function checkEpochs({ findings, place, settings, record, trained }: PolicyStep): void {
  const { epochs, minibatches } = settings;
  const first = (place.step - 1) * epochs * minibatches;
  for (let epoch = 0; epoch < epochs; epoch++) {
    const updates = record.updates.filter((each) => Math.floor((each.optimizerStep - first) / minibatches) === epoch);
    const rows = updates.flatMap((each) => each.rows).toSorted((a, b) => a - b);
    findings.same("batch", place, `rows of epoch ${epoch}`, Array.from(trained.keys()), rows);
  }
}

function checkAdvantages(own: PolicyStep): void {
  const { findings, place, train, settings, step, record, trained } = own;
  const unknown =
    unknownSetting(settings.tree ? "advantages of trees" : "advantages", train, place.policy) ??
    (settings.tree && record.rewards ? `train.policies.${place.policy} with prices` : null);
  if (unknown !== null) return findings.leaveOut(unknown, "advantages");
  const values = settings.tree ? ofTree(step, settings, trained) : ofGroups(own);
  findings.number("advantage", place, "number of advantages", trained.length, record.advantages.length);
  trained.forEach(({ rollout, utterance: { agent, turn } }, i) => {
    const at = { ...place, ...rollout.place, agent, turn };
    findings.number("advantage", at, "advantage", values[i] as number, record.advantages[i]);
  });
}

function ofTree(step: StepRecord, settings: TrainSettings, trained: readonly Trained[]): number[] {
  const advantages = treeAdvantages(step, settings, step.prices);
  const numbers = new Map(step.utterances.map((utterance, i) => [utterance, i]));
  return trained.map(({ utterance }) => advantages.get(numbers.get(utterance) ?? -1) ?? 0);
}

/** Samples as the grouping makes them: an episode each, or a reply each. */
function ofGroups({ settings, rollouts, record, trained }: PolicyStep): number[] {
  const { groupBy, weightBy, advantage } = settings;
  const rewardOf = ({ number, row }: Rollout): number =>
    (record.rewards ? record.rewards[number] : row.reward) ?? Number.NaN;
  if (groupBy === "prompt") {
    const samples = rollouts.map((each): Sample => {
      return { group: String(each.row.group), reward: rewardOf(each), weight: 1 };
    });
    const values = advantagesOf(advantage, samples);
    return trained.map(({ rollout }) => values[rollout.number] ?? Number.NaN);
  }
  const keyed = trained.map(({ rollout, utterance: { agent, turn } }) => {
    const { agents, turns } = rollout.episode.score?.reward ?? {};
    const own = total(Object.values(agents?.[agent] ?? {})) + total(Object.values(turns?.[turn] ?? {}));
    const group = JSON.stringify([rollout.row.group, agent, ...(groupBy === "prompt+agent" ? [] : [turn])]);
    return { group, share: `${group} ${rollout.number}`, reward: rewardOf(rollout) + own };
  });
  const counts = new Map<string, number>();
  for (const { share } of keyed) counts.set(share, (counts.get(share) ?? 0) + 1);
  const weightOf = (share: string): number => (weightBy === "turn" ? 1 : 1 / (counts.get(share) ?? 1));
  return advantagesOf(
    advantage,
    keyed.map(({ share, ...sample }): Sample => ({ ...sample, weight: weightOf(share) })),
  );
}

/** Losses from recorded log-probs and advantages, and learning rates. */
function checkUpdates({ findings, place, train, settings, record, trained }: PolicyStep): void {
  const { policy } = place;
  const unknown = {
    rates: unknownSetting("learning rates", train, policy),
    losses: unknownSetting("losses", train, policy),
  };
  if (unknown.rates !== null) findings.leaveOut(unknown.rates, "learning rates");
  if (unknown.losses !== null) findings.leaveOut(unknown.losses, "losses");
  const sampled = trained.map(({ utterance }) => [...(utterance.trace?.logProbs ?? [])]);
  const old = record.oldLogProbs ? cut(record.oldLogProbs, trained) : sampled;
  if (settings.oldLogProbs === "sampler") findings.same("loss", place, "log π_old, the sampler's", sampled, old);
  const ref = record.refLogProbs ? cut(record.refLogProbs, trained) : null;
  const perReply = record.advantages.length === trained.length;
  const flat = trained.map(({ utterance }, i) =>
    new Array<number>(tokensOf(utterance)).fill(record.advantages[i] as number),
  );
  const advantages = perReply ? flat : cut(record.advantages, trained);
  const steps = train.steps * settings.epochs * settings.minibatches;
  for (const { optimizerStep, learningRate, rows, logProbs, loss, examples } of record.updates) {
    const at = { ...place, optimizerStep };
    if (examples) findings.leaveOut("supervised examples", "their file is not in the folder");
    if (unknown.rates === null)
      findings.number("loss", at, "learning rate", rateAt(settings.learningRate, optimizerStep, steps), learningRate);
    if (unknown.losses !== null) continue;
    const now = cut(
      logProbs,
      rows.flatMap((row) => trained[row] ?? []),
    );
    findings.number("loss", at, "number of log-probs", total(now.map(({ length }) => length)), logProbs.length);
    const replies = rows.map((row, i) => ({
      now: now[i] ?? [],
      old: old[row] ?? [],
      ref: ref && (ref[row] ?? []),
      advantages: advantages[row] ?? [],
    }));
    findings.number("loss", at, "loss", lossOf(replies, settings.objective), loss);
  }
}

/** A flat column by reply. */
function cut(values: ArrayLike<number>, replies: readonly Trained[]): number[][] {
  let used = 0;
  return replies.map(({ utterance }) =>
    Array.from({ length: tokensOf(utterance) }, () => values[used++] ?? Number.NaN),
  );
}

/** Learning rate of an optimiser step, from 0: a linear rise, then constant, a line or half a cosine. */
function rateAt({ peak, warmUpSteps, decay, finalFraction }: Schedule, step: number, of: number): number {
  if (step < warmUpSteps) return (peak / warmUpSteps) * (step + 1);
  if (decay === "constant") return peak;
  const done = Math.min((step - warmUpSteps) / Math.max(of - warmUpSteps, 1), 1);
  const height = decay === "linear" ? 1 - done : (1 + Math.cos(done * Math.PI)) / 2;
  return peak * (1 - (1 - finalFraction) * (1 - height));
}
