import { raggedSelect, statisticOf, mapValues } from "@laconic/core";
import type {
  Diagnostics,
  Objective,
  ObjectiveInput,
  PolicyNeedKey,
  Ragged,
  Random,
  Schedule,
  Statistic,
  TokenGradient,
  TrainableModel,
} from "@laconic/core";
import { emptyStatistic, mergeDiagnostics, mergeStatistics } from "@laconic/core/numeric";
import { unitIndex, withRatioUnits, type RatioUnit } from "@laconic/gspo";
import type { TrainConfig } from "../settings/config.ts";
import type { ExampleStream } from "../supervised/example-stream.ts";
import { addLikelihood, type Likelihood } from "../supervised/supervised.ts";
import type { TrainingBatch } from "./training-batch.ts";

export interface UpdateResult {
  readonly loss: number;
  readonly gradNorm: Statistic;
  readonly learningRate: number;
  /** Steps without a finite gradient. */
  readonly skipped: number;
  readonly entropy: Statistic;
  readonly diagnostics: Diagnostics;
  /** Rows count shared prefixes once, if reported. */
  readonly passed: { readonly tokens: number; readonly rows: number };
  /** Learned tokens, and the sum of their cross-entropy in nats. */
  readonly supervised: { readonly tokens: number; readonly nats: number } | null;
  readonly parts: readonly UpdatePart[];
}

interface UpdatePart extends Pick<UpdateResult, "loss" | "learningRate" | "entropy"> {
  /** Sequence indices. */
  readonly rows: readonly number[];
  readonly optimizerStep: number;
  readonly logProbs: Ragged;
  readonly gradNorm: number;
  readonly applied: boolean;
  readonly examples: Likelihood | null;
}

interface UpdateFacts {
  readonly model: TrainableModel;
  readonly config: TrainConfig;
  readonly objective: Objective;
  readonly batch: TrainingBatch;
  /** Old log-probs; null for those of the update's pass. */
  readonly oldLogProbs: Ragged | null;
  readonly refLogProbs: Ragged | null;
  readonly policyLogProbs?: Readonly<Record<PolicyNeedKey, Ragged>> | null;
  readonly step: number;
  readonly learningRate: Schedule;
  readonly examples?: ExampleStream | undefined;
  readonly turn?: () => Promise<void>;
}

/** Minibatches of Eq. 3-4: reshuffled each epoch, one optimizer step each. Ratio units stay together. */
export async function update(input: UpdateFacts, random: Random): Promise<UpdateResult> {
  const { config, batch, step } = input;
  const units = unitsOf(batch, config.ratioUnit);
  const plan = Array.from({ length: config.epochs }, (_, epoch) =>
    minibatchRows(units, config.minibatches, random).map((rows, part) => ({
      rows,
      optimizerStep: (step * config.epochs + epoch) * config.minibatches + part,
    })),
  ).flat();
  const done: MinibatchResult[] = [];
  for (const { rows, optimizerStep } of plan) {
    await input.turn?.();
    done.push(await minibatch(input, rows, optimizerStep));
  }
  const parts = done.map(({ part }) => part);
  const learned = parts.flatMap(({ examples }) => examples ?? []);
  return {
    loss: parts.reduce((sum, { loss }) => sum + loss / parts.length, 0),
    gradNorm: statisticOf(parts.map(({ gradNorm }) => gradNorm).filter(Number.isFinite)),
    learningRate: parts.at(-1)?.learningRate ?? 0,
    skipped: parts.filter(({ applied }) => !applied).length,
    entropy: parts.reduce((all, { entropy }) => mergeStatistics(all, entropy), emptyStatistic),
    diagnostics: done.reduce<Diagnostics>((all, { diagnostics }) => mergeDiagnostics(all, diagnostics), {}),
    passed: {
      tokens: done.reduce((sum, { passed }) => sum + passed.tokens, 0),
      rows: done.reduce((sum, { passed }) => sum + passed.rows, 0),
    },
    supervised:
      learned.length === 0
        ? null
        : {
            tokens: learned.reduce((sum, { tokens }) => sum + tokens, 0),
            nats: learned.reduce((sum, { loss, tokens }) => sum + loss * tokens, 0),
          },
    parts,
  };
}

interface MinibatchResult extends Pick<UpdateResult, "diagnostics" | "passed"> {
  readonly part: UpdatePart;
}

async function minibatch(input: UpdateFacts, rows: readonly number[], optimizerStep: number): Promise<MinibatchResult> {
  const { model, config, objective, batch } = input;
  const sequences = rows.map((row) => batch.sequences[row]!);
  const units = unitsOf(batch, config.ratioUnit, rows);
  const totals = {
    sequences: new Set(units).size,
    tokens: sequences.reduce((sum, { completionTokens }) => sum + completionTokens.length, 0),
    groups: new Set(rows.map((row) => batch.problems[row])).size,
    ...(input.oldLogProbs && { samplerGap: samplerGapOf(batch, input.oldLogProbs, rows) }),
  };
  let loss = 0;
  let diagnostics: Diagnostics = {};
  const evaluate = (logProbs: Ragged, chosen: readonly number[], evaluated: Objective): Float64Array => {
    const rowFacts = rowsOf(
      input,
      chosen.map((i) => rows[i]!),
      logProbs,
    );
    const output = evaluated.evaluate({ logProbs, ...rowFacts, totals });
    loss += output.loss;
    diagnostics = mergeDiagnostics(diagnostics, output.diagnostics);
    return output.gradient;
  };
  let tokenGradient: TokenGradient = (logProbs, chosen) => evaluate(logProbs, chosen, objective);
  if (config.ratioUnit !== "message") {
    // Micro-batches may split a ratio unit, so the gradient comes first.
    const { logProbs } = await model.forward(sequences);
    const all = rows.map((_, i) => i);
    const gradient = { ...logProbs, values: evaluate(logProbs, all, withRatioUnits(objective, units)) };
    tokenGradient = (_, chosen) => raggedSelect(gradient, chosen).values;
  }
  await input.turn?.();
  const seen = await model.forwardBackward(sequences, tokenGradient);
  const { supervised } = config;
  const taken = (supervised && input.examples?.take(optimizerStep * supervised.batch, supervised.batch)) ?? [];
  const examples = supervised && taken.length > 0 ? await addLikelihood(model, taken, supervised.weight) : null;
  const { learningRate: _, maxGradNorm, ...settings } = config.optimizer;
  const learningRate = input.learningRate(optimizerStep, config.steps * config.epochs * config.minibatches);
  const { gradNorm, applied } = await model.optimStep({
    ...settings,
    maxGradNorm: maxGradNorm ?? Infinity,
    learningRate,
  });
  await input.turn?.();
  const entropy = statisticOf(seen.entropy.values);
  const tokens = sequences.reduce(
    (sum, { promptTokens, completionTokens: { length } }) =>
      sum + (length === 0 ? 0 : promptTokens.length + length - 1),
    0,
  );
  const { logProbs } = seen;
  return {
    diagnostics,
    passed: { tokens, rows: seen.rowsPassed ?? tokens },
    part: { rows, optimizerStep, logProbs, entropy, loss, gradNorm, learningRate, applied, examples },
  };
}

type RowFacts = Pick<ObjectiveInput, "oldLogProbs" | "refLogProbs" | "policyLogProbs" | "advantages"> &
  Required<Pick<ObjectiveInput, "rollLogProbs" | "groups">>;

/** @param now - log-probs of the update's pass */
function rowsOf(
  { batch, oldLogProbs, refLogProbs, policyLogProbs }: UpdateFacts,
  rows: readonly number[],
  now: Ragged,
): RowFacts {
  return {
    oldLogProbs: oldLogProbs ? raggedSelect(oldLogProbs, rows) : now,
    ...(refLogProbs && { refLogProbs: raggedSelect(refLogProbs, rows) }),
    ...(policyLogProbs && {
      policyLogProbs: mapValues(policyLogProbs, (ragged) => raggedSelect(ragged, rows)),
    }),
    rollLogProbs: raggedSelect(batch.sampledLogProbs, rows),
    advantages: advantagesOf(batch, rows),
    groups: Int32Array.from(rows, (row) => batch.problems[row]!),
  };
}

/** Mean gap over the minibatch, independent of micro-batching. */
function samplerGapOf(
  { sampledLogProbs }: TrainingBatch,
  { offsets, values }: Ragged,
  rows: readonly number[],
): number {
  let total = 0;
  let compared = 0;
  for (const row of rows)
    for (let t = offsets[row]!; t < offsets[row + 1]!; t++) {
      total += Math.abs(values[t]! - sampledLogProbs.values[t]!);
      compared += 1;
    }
  return total / Math.max(1, compared);
}

function advantagesOf(
  { advantages, sampledLogProbs, sequences }: TrainingBatch,
  rows: readonly number[],
): Float64Array {
  if (advantages.length === sequences.length) return Float64Array.from(rows, (row) => advantages[row]!);
  return raggedSelect({ ...sampledLogProbs, values: advantages }, rows).values;
}

function unitsOf(
  batch: TrainingBatch,
  unit: RatioUnit,
  rows: readonly number[] = [...batch.episodes.keys()],
): Int32Array {
  const items = rows.map((row) => {
    const { agent, turn } = batch.utterances[row]!;
    return { episode: batch.episodes[row]!, agent, turn };
  });
  return unitIndex(items, unit);
}

function minibatchRows(units: Int32Array, parts: number, random: Random): number[][] {
  const members: number[][] = [];
  units.forEach((unit, row) => (members[unit] ??= []).push(row));
  const order = random.shuffle(members);
  const end = (part: number): number => Math.floor((part * order.length) / parts);
  return Array.from({ length: parts }, (_, i) => order.slice(end(i), end(i + 1)).flat()).filter(
    (rows) => rows.length > 0,
  );
}
