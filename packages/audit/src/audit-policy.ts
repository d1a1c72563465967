import type { Utterance } from "@laconic/core";
import type { Numbers } from "./numbers.ts";
import { judge } from "./judge.ts";
import { rowsOf } from "./estimator-rows.ts";
import { estimatorOf } from "./estimators.ts";
import { examplesOf } from "./examples.ts";
import { exact, type Findings, type Place } from "./findings.ts";
import { lossOf } from "./losses.ts";
import type { StepContext } from "./memory.ts";
import type { UnitRow } from "./objectives.ts";
import { firstPrice, nextPrice, usedOf } from "./prices.ts";
import type { AuditedPolicy, AuditedStep, AuditedUpdate } from "./record.ts";
import { rateAt, settingsOf } from "./settings.ts";
import { isOwnValue } from "./schema.ts";
import { joined, parted } from "./ratio-units.ts";
import { correctionOf } from "./sample-weights.ts";
import type { Judged, PolicyFacts, Trained } from "./step-facts.ts";
import { treeAdvantages } from "./tree-returns.ts";

type Settings = ReturnType<typeof settingsOf>;

/** What a policy made of a step: its rewards and prices, what it was trained on, advantages, losses. */
export function auditPolicy(
  context: StepContext,
  step: AuditedStep,
  { name, row, judged: team, team: teamsPrices }: Pick<PolicyFacts, "name" | "row" | "judged"> & { team: Numbers },
): PolicyFacts {
  const { train, findings, memory } = context;
  const settings = settingsOf(train, name);
  const place: Place = { step: step.step, policy: name };
  const prices = settings.hasOwnBudget ? ownPrices(context, settings, row, name) : teamsPrices;
  for (const [cost, price] of Object.entries(prices))
    findings.number("price", place, `λ of ${cost}`, price, row.prices[cost]);
  const judged = settings.hasOwnBudget ? judge(context, step, settings, prices, row.agents) : team;
  if (settings.hasOwnBudget)
    judged.forEach((each, i) =>
      findings.number("reward", { ...each.place, policy: name }, "reward", each.own.reward, row.rewards?.[i]),
    );
  const { all, empty } = toBeTrained(step, judged, row);
  const trained = trainedOf(findings, all, judged, row, place);
  const { values, estimated } = advantagesOf(context, step, { settings, name, judged, trained: all, prices, row });
  const perSequence = values && valuesOf(values, all, trained);
  compareAdvantages(findings, place, trained, perSequence, row);
  const { old, sampled } = oldLogProbsOf(findings, settings, trained, row);
  checkRows(findings, place, trained, row, settings);
  const done = updatesOf(context, settings, { step, row, trained, old, sampled, place }, perSequence);
  if (settings.hasOwnBudget && settings.budget && !isOwnValue(settings.budget) && memory.isWhole) {
    const key = `policy ${name}`;
    const { state } = nextPrice(
      settings.budget,
      memory.prices.get(key) ?? firstPrice(settings.budget),
      usedOf("tokens", judged),
    );
    memory.prices.set(key, state);
  }
  return {
    name,
    row,
    judged,
    prices,
    trained,
    empty,
    estimated,
    old,
    sampled,
    ...done,
    hasOwnBudget: settings.hasOwnBudget,
  };
}

function ownPrices({ train, memory }: StepContext, settings: Settings, row: AuditedPolicy, name: string): Numbers {
  const own = train.policies[name]?.budget;
  if (isOwnValue(own)) return { ...settings.prices, tokens: row.prices["tokens"] ?? 0 };
  const state = memory.prices.get(`policy ${name}`) ?? (own && firstPrice(own));
  const tokens = own ? (memory.isWhole ? state?.price : row.prices["tokens"]) : settings.prices["tokens"];
  return { ...settings.prices, tokens: tokens ?? 0 };
}

/** Every utterance of the policy's agents that has a token, once, in the order of the rollouts. */
function toBeTrained(
  step: AuditedStep,
  judged: readonly Judged[],
  row: AuditedPolicy,
): { all: Trained[]; empty: number } {
  const seen = new Set<Utterance>();
  const spoken = judged.flatMap(({ episode, row: { group }, place }, rollout) =>
    episode.utterances
      .filter(
        (each) =>
          row.agents.includes(each.agent) &&
          each.opponent === undefined &&
          !(step.trees && seen.has(each)) &&
          seen.add(each),
      )
      .map((utterance) => ({ rollout, utterance, problem: group, place })),
  );
  const all = spoken.filter(({ utterance }) => (utterance.trace?.tokens.length ?? 0) > 0);
  return { all, empty: spoken.length - all.length };
}

const nameOf = (rollout: number, turn: number): string => `${rollout}/${turn}`;

/** What the policy was trained on, as recorded, each with its place; compared with what there was to train on. */
function trainedOf(
  findings: Findings,
  all: readonly Trained[],
  judged: readonly Judged[],
  { sequences }: AuditedPolicy,
  place: Place,
): Trained[] {
  const counts = new Map<string, number>();
  for (const [rollout, turn] of sequences)
    counts.set(nameOf(rollout, turn), (counts.get(nameOf(rollout, turn)) ?? 0) + 1);
  const placeOf = ({ rollout, utterance: { agent, turn } }: Omit<Trained, "place">, sequence?: number): Place => ({
    ...place,
    ...judged[rollout]?.place,
    agent,
    turn,
    ...(sequence !== undefined && { sequence }),
  });
  for (const each of all) {
    const name = nameOf(each.rollout, each.utterance.turn);
    findings.number("batch", placeOf(each), "times in the batch", 1, counts.get(name) ?? 0, exact);
    counts.delete(name);
  }
  for (const [rollout, turn] of Array.from(counts.keys(), (name) => name.split("/").map(Number)))
    findings.number(
      "batch",
      { ...place, episode: rollout as number, turn: turn as number },
      "times in the batch",
      0,
      1,
      exact,
    );
  return sequences.map(([rollout, turn], sequence) => {
    const own = judged[rollout];
    const utterance = own?.episode.utterances.find((each) => each.turn === turn);
    if (!own || !utterance)
      throw new Error(
        `step ${place.step}: sequence ${sequence} is turn ${turn} of rollout ${rollout}, which is not recorded`,
      );
    const each = { rollout, utterance, problem: own.row.group };
    return { ...each, place: placeOf(each, sequence) };
  });
}

/** Rows of an estimator as the grouping key makes them, and advantages by sequence and token. */
function advantagesOf(
  { findings, memory }: StepContext,
  step: AuditedStep,
  {
    settings,
    name,
    judged,
    trained,
    prices,
    row,
  }: Pick<PolicyFacts, "name" | "judged" | "trained" | "prices" | "row"> & { readonly settings: Settings },
): { values: readonly (readonly number[])[] | null; estimated: PolicyFacts["estimated"] } {
  const lengths = trained.map(({ utterance }) => utterance.trace?.tokens.length ?? 0);
  const everyToken = (values: readonly number[]): number[][] =>
    values.map((value, i) => new Array<number>(lengths[i] as number).fill(value));
  if (settings.tree) {
    const { advantages, nodesWithoutSpread } = treeAdvantages(
      step,
      settings,
      prices,
      settings.hasOwnBudget ? row.agents : null,
    );
    const numbers = trained.map(({ utterance }) => advantages.get(step.utterances.indexOf(utterance)) ?? 0);
    return {
      values: everyToken(numbers),
      estimated: { values: numbers, metrics: { frac_reward_zero_std: nodesWithoutSpread } },
    };
  }
  const { advantage, groupBy } = settings;
  const baselines = memory.baselines.get(name) ?? new Map<string, number>();
  memory.baselines.set(name, baselines);
  if (isOwnValue(groupBy)) {
    findings.leaveOut(`advantages of ${name}`, "groups are user-defined; recorded advantages are taken");
    return { values: null, estimated: { values: null, metrics: {} } };
  }
  const members: number[][] =
    groupBy === "prompt"
      ? judged.map((_, i) => trained.flatMap((each, s) => (each.rollout === i ? [s] : [])))
      : trained.map((_, s) => [s]);
  const rows = rowsOf(members, groupBy, judged, trained);
  const estimator = typeof advantage === "string" ? null : estimatorOf(advantage);
  if (!estimator || (estimator.remembers && !memory.isWhole)) {
    // A user's own is kept by where it is made.
    const own = typeof advantage === "string" ? advantage : (advantage.estimator ?? null);
    findings.leaveOut(
      `advantages of ${name}`,
      estimator
        ? `the estimator ${own} remembers steps that are not recorded`
        : `the estimator${own === null ? "" : ` ${own}`} is user-defined; recorded advantages are taken`,
    );
    return { values: null, estimated: { values: null, metrics: {} } };
  }
  const costThreshold = settings.costWhenTaskAtLeast ?? 0;
  const result = estimator.estimate({ rows, prices, costThreshold, baselines });
  const perSequence: number[][] = trained.map(() => []);
  members.forEach((sequences, i) => {
    let at = 0;
    for (const s of sequences) {
      const length = lengths[s] as number;
      perSequence[s] = result.perToken
        ? (result.perToken[i] as number[]).slice(at, at + length)
        : new Array<number>(length).fill(result.perRow?.[i] as number);
      at += length;
    }
  });
  const values = estimator.remembers ? null : (result.perRow ?? null);
  return { values: perSequence, estimated: { values, metrics: result.metrics } };
}

/** Advantages of what there was to train on, as those of what was trained on. */
function valuesOf(
  values: readonly (readonly number[])[],
  all: readonly Trained[],
  trained: readonly Trained[],
): number[][] {
  const places = new Map(all.map(({ rollout, utterance }, i) => [nameOf(rollout, utterance.turn), i]));
  return trained.map(({ rollout, utterance }) => [
    ...(values[places.get(nameOf(rollout, utterance.turn)) ?? -1] ?? []),
  ]);
}

/** Recorded one a sequence, or one a token. */
function compareAdvantages(
  findings: Findings,
  place: Place,
  trained: readonly Trained[],
  perSequence: readonly (readonly number[])[] | null,
  { advantages }: AuditedPolicy,
): void {
  if (!perSequence) return;
  const tokens = perSequence.reduce((sum, each) => sum + each.length, 0);
  const one = advantages.length === trained.length;
  if (!one) findings.number("advantage", place, "advantages", tokens, advantages.length, exact);
  let at = 0;
  perSequence.forEach((expected, s) => {
    const { place: where } = trained[s] as Trained;
    if (one) findings.number("advantage", where, "advantage", expected[0] ?? Number.NaN, advantages[s]);
    else
      expected.forEach((value, token) =>
        findings.number("advantage", { ...where, token }, "advantage", value, advantages[at + token]),
      );
    at += expected.length;
  });
}

/** The old policy's log-probs: recorded, or the sampler's. */
function oldLogProbsOf(
  findings: Findings,
  { oldLogProbs }: Settings,
  trained: readonly Trained[],
  row: AuditedPolicy,
): Pick<PolicyFacts, "old" | "sampled"> {
  const sampled = trained.map(({ utterance }) => [...(utterance.trace?.logProbs ?? [])]);
  if (row.oldLogProbs === null) return { old: sampled, sampled };
  const old = cut(row.oldLogProbs, trained);
  if (oldLogProbs === "sampler")
    old.forEach((values, s) =>
      values.forEach((value, token) =>
        findings.number(
          "log-prob",
          { ...trained[s]?.place, token },
          "log π_old",
          sampled[s]?.[token] ?? Number.NaN,
          value,
        ),
      ),
    );
  return { old, sampled };
}

/** A flat column by sequence. */
function cut(values: ArrayLike<number>, sequences: readonly Pick<Trained, "utterance">[]): number[][] {
  let at = 0;
  return sequences.map(({ utterance }) =>
    Array.from({ length: utterance.trace?.tokens.length ?? 0 }, () => values[at++] ?? Number.NaN),
  );
}

/** In each epoch every sequence goes into one optimiser step. */
function checkRows(
  findings: Findings,
  place: Place,
  trained: readonly Trained[],
  { updates }: AuditedPolicy,
  { epochs, minibatches }: Settings,
): void {
  const epochOf = ({ optimizerStep }: AuditedUpdate): number =>
    Math.floor(optimizerStep / minibatches) - ((place.step as number) - 1) * epochs;
  for (let epoch = 0; epoch < epochs; epoch++) {
    const counts = trained.map(() => 0);
    for (const update of updates.filter((each) => epochOf(each) === epoch))
      for (const row of update.rows) if (row in counts) counts[row]! += 1;
    counts.forEach((count, s) =>
      findings.number(
        "batch",
        (trained[s] as Trained).place,
        `times in the optimiser steps of epoch ${epoch}`,
        1,
        count,
        exact,
      ),
    );
  }
}

/** Loss, gradient and learning rate of each optimiser step, from recorded log-probs. */
function updatesOf(
  context: StepContext,
  settings: Settings,
  batch: Pick<PolicyFacts, "row" | "trained" | "old" | "sampled"> & {
    readonly step: AuditedStep;
    readonly place: Place;
  },
  perSequence: readonly (readonly number[])[] | null,
): Pick<PolicyFacts, "updates" | "losses"> {
  const { findings, train } = context;
  const { step, row, trained, old, sampled, place } = batch;
  const { objective, ratioUnit, epochs, minibatches, optimizer } = settings;
  const advantages = perSequence ?? recordedAdvantages(row, trained);
  const to = typeof objective === "object" ? objective.kl?.to : undefined;
  const target = to ? row.policyLogProbs?.[`${to.policy}@${to.at}`] : row.refLogProbs;
  const ref = target ? cut(target, trained) : null;
  const losses: PolicyFacts["losses"][number][] = [];
  const updates = row.updates.map((update) => {
    const at = { ...place, optimizerStep: update.optimizerStep };
    const own = update.rows.map((s) => trained[s]).filter((each) => each !== undefined);
    const examples = examplesOf(update, settings, findings, at);
    const now = cut(update.logProbs, own);
    const steps = train.steps * epochs * minibatches;
    const isOwnRate = isOwnValue(optimizer.learningRate);
    if (isOwnRate) findings.leaveOut("learning rate", "its schedule is user-defined; recorded rates are taken");
    const learningRate = isOwnRate ? update.learningRate : rateAt(optimizer.learningRate, update.optimizerStep, steps);
    findings.number("optimizer", at, "learning rate", learningRate, update.learningRate);
    const unknown = { loss: null, dLogProbs: null, learningRate, examples };
    if (to && !target) {
      findings.leaveOut(
        `loss of ${typeof objective === "object" ? objective.name : objective}`,
        `log-probs of ${to.policy} at ${to.at} are not recorded`,
      );
      return unknown;
    }
    if (typeof objective === "string") {
      findings.leaveOut(
        `loss of ${objective}`,
        "the objective is user-defined; what follows from its gradient is left out",
      );
      return unknown;
    }
    const units = joined(ratioUnit, own).map((members): UnitRow => {
      const all = (of: (i: number) => readonly number[] | undefined): number[] => members.flatMap((i) => of(i) ?? []);
      const numbers = members.map((i) => update.rows[i] as number);
      return {
        now: all((i) => now[i]),
        old: numbers.flatMap((s) => old[s] ?? []),
        ref: ref && numbers.flatMap((s) => ref[s] ?? []),
        sampled: numbers.flatMap((s) => sampled[s] ?? []),
        advantages: numbers.flatMap((s) => advantages[s] ?? []),
        problem: own[members[0] as number]?.problem ?? 0,
      };
    });
    const result = lossOf(units, objective, correctionOf(settings, objective, step, units));
    if (!result) {
      findings.leaveOut(`loss of ${objective.name}`, "this audit has no second implementation of the objective");
      return unknown;
    }
    findings.number("loss", at, "loss", result.loss, update.loss);
    losses.push(result.facts);
    return {
      loss: result.loss,
      dLogProbs: parted(result.dLogProbs, joined(ratioUnit, own), now),
      learningRate,
      examples,
    };
  });
  return { updates, losses };
}

function recordedAdvantages({ advantages }: AuditedPolicy, trained: readonly Trained[]): number[][] {
  if (advantages.length !== trained.length) return cut(advantages, trained);
  return trained.map(({ utterance }, s) =>
    new Array<number>(utterance.trace?.tokens.length ?? 0).fill(advantages[s] as number),
  );
}
