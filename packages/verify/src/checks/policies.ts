import type { Utterance } from "@laconic/core";
import { unpackNumbers, type PackedNumbers, type StoredPolicy } from "@laconic/core/run-folder";
import type { Findings } from "../findings.ts";
import type { StepRecord } from "../folder/record.ts";
import { advantagesOf, lossOf } from "../rules/losses.ts";
import { total } from "../rules/numbers.ts";
import { covers, settingsOf, type Schedule, type TrainSettings } from "../rules/settings.ts";
import type { Rollout } from "./rollouts.ts";

interface Trained {
  readonly rollout: Rollout;
  readonly utterance: Utterance;
}

interface PolicyStep {
  readonly findings: Findings;
  readonly place: { readonly step: number; readonly policy: string };
  readonly train: TrainSettings;
  readonly settings: TrainSettings;
  readonly rollouts: readonly Rollout[];
  readonly record: StoredPolicy;
  readonly trained: readonly Trained[];
}

export function checkPolicy(
  findings: Findings,
  train: TrainSettings,
  step: StepRecord,
  rollouts: readonly Rollout[],
  policy: string,
): void {
  const record = step.policies[policy]!;
  const location = { step: step.step, policy };
  const spoken = spokenBy(record.agents, rollouts);
  const matches = record.sequences.map((sequence) => sequence.join("/"));
  findings
    .at("batch", location)
    .same("trained replies (episode/turn)", [...spoken.keys()].toSorted(), matches.toSorted());
  const trained = matches.flatMap((name) => spoken.get(name) ?? []);
  const own = { findings, place: location, train, settings: settingsOf(train, policy), rollouts, record, trained };
  const { epochs, minibatches } = own.settings;
  // Each epoch uses every reply once. The bound guards against a damaged number of epochs.
  for (let i = 0; i < Math.min(epochs, record.updates.length + 1); i++) {
    const epoch = (step.step - 1) * epochs + i;
    const updates = record.updates.filter(({ optimizerStep }) => Math.floor(optimizerStep / minibatches) === epoch);
    const rows = updates.flatMap((update) => update.rows).toSorted((a, b) => a - b);
    findings.at("batch", location).same(`rows of epoch ${epoch}`, Array.from(trained.keys()), rows);
  }
  if (covers(findings, "advantages", train, policy)) checkAdvantages(own);
  checkUpdates(own);
}

/** Non-empty utterances, once each: episodes of a tree share their common turns. */
function spokenBy(agents: readonly string[], rollouts: readonly Rollout[]): ReadonlyMap<string, Trained> {
  const seen = new Set<Utterance>();
  const spoken = new Map<string, Trained>();
  for (const rollout of rollouts)
    for (const utterance of rollout.episode.utterances) {
      const { agent, opponent, turn } = utterance;
      if (!agents.includes(agent) || opponent !== undefined || tokensOf(utterance) === 0 || seen.has(utterance))
        continue;
      seen.add(utterance);
      spoken.set(`${rollout.number}/${turn}`, { rollout, utterance });
    }
  return spoken;
}

const tokensOf = ({ trace }: Utterance): number => trace?.tokens.length ?? 0;

/** Checks Eq. 2 per group; all replies of an episode share its advantage. */
function checkAdvantages({ findings, place, settings, rollouts, record, trained }: PolicyStep): void {
  const advantages = new Map<Rollout, number>();
  for (const group of new Set(rollouts.map(({ row }) => row.group))) {
    const members = rollouts.filter(({ row }) => row.group === group);
    const rewards = members.map(
      ({ row, number }) => (record.rewards ? record.rewards[number] : row.reward) ?? Number.NaN,
    );
    advantagesOf(settings.advantage, rewards).forEach((value, i) => advantages.set(members[i]!, value));
  }
  const match = unpackNumbers(record.advantages);
  findings.at("advantage", place).number("number of advantages", trained.length, match.length);
  trained.forEach(({ rollout, utterance: { agent, turn } }, i) => {
    const comparisons = findings.at("advantage", { ...place, ...rollout.place, agent, turn });
    comparisons.number("advantage", advantages.get(rollout) ?? Number.NaN, match[i]);
  });
}

function checkUpdates({ findings, place, train, settings, record, trained }: PolicyStep): void {
  const hasRates = covers(findings, "learning rates", train, place.policy);
  const hasLosses = covers(findings, "losses", train, place.policy);
  const sampled = trained.map(({ utterance }) => [...(utterance.trace?.logProbs ?? [])]);
  const old = record.oldLogProbs ? cut(record.oldLogProbs, trained) : sampled;
  const ref = record.refLogProbs ? cut(record.refLogProbs, trained) : null;
  if (settings.oldLogProbs === "sampler") findings.at("loss", place).same("log π_old, the sampler's", sampled, old);
  const flat = unpackNumbers(record.advantages);
  const advantages =
    flat.length === trained.length
      ? trained.map(({ utterance }, i) => new Array<number>(tokensOf(utterance)).fill(flat[i]!))
      : cut(record.advantages, trained);
  const steps = settings.steps * settings.epochs * settings.minibatches;
  for (const { optimizerStep, learningRate, rows, logProbs, loss, examples } of record.updates) {
    const comparisons = findings.at("loss", { ...place, optimizerStep });
    if (examples) findings.leaveOut("supervised examples", "their file is not in the folder");
    if (hasRates)
      comparisons.number("learning rate", rateAt(settings.learningRate, optimizerStep, steps), learningRate);
    if (!hasLosses) continue;
    const replies = rows.flatMap((row) => trained[row] ?? []);
    const now = cut(logProbs, replies);
    comparisons.number("log-probs", total(now.map(({ length }) => length)), unpackNumbers(logProbs).length);
    const units = rows.map((row, i) => ({
      now: now[i] ?? [],
      old: old[row] ?? [],
      ref: ref && (ref[row] ?? []),
      advantages: advantages[row] ?? [],
    }));
    comparisons.number("loss", lossOf(units, settings.objective), loss);
  }
}

function cut(packed: PackedNumbers, replies: readonly Trained[]): number[][] {
  const values = unpackNumbers(packed);
  let used = 0;
  return replies.map(({ utterance }) =>
    Array.from({ length: tokensOf(utterance) }, () => values[used++] ?? Number.NaN),
  );
}

/** Optimizer steps count from 0. Linear warm-up, then constant, linear or cosine. */
function rateAt({ peak, warmUpSteps, decay, finalFraction }: Schedule, step: number, of: number): number {
  if (step < warmUpSteps) return (peak / warmUpSteps) * (step + 1);
  if (decay === "constant") return peak;
  const done = Math.min((step - warmUpSteps) / Math.max(of - warmUpSteps, 1), 1);
  const height = decay === "linear" ? 1 - done : (1 + Math.cos(done * Math.PI)) / 2;
  return peak * (1 - (1 - finalFraction) * (1 - height));
}
