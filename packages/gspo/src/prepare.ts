import {
  assertSameLayout,
  type BatchTotals,
  inputError,
  LaconicError,
  type ObjectiveInput,
  type Ragged,
} from "@laconic/core";
import { findBadLogProb, logProbRange, sampledLogProbRange, type LogProbRange } from "@laconic/core/numeric";

export interface Prepared {
  readonly input: ObjectiveInput;
  readonly sequences: number;
  /** log π - log π_old per token; 0 where masked. */
  readonly logRatio: Float64Array;
  /** |y_i|: trained tokens per sequence. */
  readonly lengths: Int32Array;
  readonly totals: BatchTotals;
  readonly advantagePerToken: boolean;
}

/**
 * Validates layouts and values.
 * @throws LaconicError `input_invalid` for a wrong layout or totals below this input; `numeric_invalid` for an invalid
 * advantage or a log-prob outside `logProbRange` (`sampledLogProbRange` for the sampler's)
 */
export function prepare(input: ObjectiveInput): Prepared {
  const { logProbs, oldLogProbs, advantages, mask } = input;
  for (const [name, data] of namedLogProbs(input)) {
    if (!(data as Partial<Ragged> | undefined)?.offsets)
      throw inputError(`${name}: expected packed sequences; ragged packs one list for each`);
    assertSameLayout(logProbs, data, name);
  }
  const tokens = logProbs.values.length;
  const sequences = logProbs.offsets.length - 1;
  const given = (advantages as ArrayLike<number> | undefined)?.length;
  const advantagePerToken = given !== sequences;
  if (advantagePerToken && given !== tokens)
    throw inputError(`advantages: ${given ?? "no"} values fit neither ${sequences} sequences nor ${tokens} tokens`);
  if (mask && mask.length !== tokens) throw inputError(`mask: ${mask.length} values for ${tokens} tokens`);

  checkLogProbs(input);

  const logRatio = new Float64Array(tokens);
  const lengths = new Int32Array(sequences);
  let trainedTokens = 0;
  let trainedSequences = 0;
  for (let s = 0; s < sequences; s++) {
    const end = logProbs.offsets[s + 1]!;
    let length = 0;
    for (let t = logProbs.offsets[s]!; t < end; t++) {
      if (mask && mask[t] === 0) continue;
      length += 1;
      if (!Number.isFinite(advantages[advantagePerToken ? t : s]))
        throw notFinite("advantages", s, t - logProbs.offsets[s]!);
      logRatio[t] = logProbs.values[t]! - oldLogProbs.values[t]!;
    }
    lengths[s] = length;
    trainedTokens += length;
    if (length > 0) trainedSequences += 1;
  }
  const sums = { sequences: trainedSequences, tokens: trainedTokens, ...groupCount(input, lengths) };
  const totals = input.totals ?? sums;
  checkTotals(totals, sums);
  return { input, sequences, logRatio, lengths, totals, advantagePerToken };
}

export function advantageAt(prepared: Prepared, sequence: number, token: number): number {
  return prepared.input.advantages[prepared.advantagePerToken ? token : sequence]!;
}

function checkTotals(totals: BatchTotals, batchTotals: BatchTotals): void {
  const fits =
    totals.sequences >= batchTotals.sequences &&
    totals.tokens >= batchTotals.tokens &&
    (totals.tokens > batchTotals.tokens || totals.sequences === batchTotals.sequences);
  if (!fits)
    throw inputError(
      `totals: ${totals.sequences} sequences and ${totals.tokens} tokens cannot be the batch of an input with ${batchTotals.sequences} and ${batchTotals.tokens}; count trained tokens, and sequences that have some`,
    );
}

/** @throws LaconicError `numeric_invalid` for a log-prob out of range */
export function checkLogProbs(input: ObjectiveInput): void {
  for (const [name, data, range] of namedLogProbs(input)) {
    const bad = findBadLogProb(data, range, input.mask);
    if (!bad) continue;
    const { sequence, token, value } = bad;
    throw new LaconicError(
      "numeric_invalid",
      `${name}: sequence ${sequence}, token ${token} is ${value}, expected a log-prob from ${range.min} to ${range.max}`,
      { name, sequence, token, value },
    );
  }
}

function namedLogProbs(input: ObjectiveInput): [name: string, data: Ragged, range: LogProbRange][] {
  const { logProbs, oldLogProbs, refLogProbs, rollLogProbs, policyLogProbs = {} } = input;
  const named: [name: string, data: Ragged, range: LogProbRange][] = [
    ["logProbs", logProbs, logProbRange],
    ["oldLogProbs", oldLogProbs, logProbRange],
  ];
  if (refLogProbs) named.push(["refLogProbs", refLogProbs, logProbRange]);
  for (const [key, ragged] of Object.entries(policyLogProbs))
    named.push([`policyLogProbs["${key}"]`, ragged, logProbRange]);
  if (rollLogProbs) named.push(["rollLogProbs", rollLogProbs, sampledLogProbRange]);
  return named;
}

function groupCount({ groups }: ObjectiveInput, lengths: Int32Array): { groups?: number } {
  if (!groups) return {};
  return { groups: new Set(Array.from(groups).filter((_, s) => lengths[s]! > 0)).size };
}

export function notFinite(what: string, sequence: number, token: number): LaconicError {
  return new LaconicError("numeric_invalid", `${what}: sequence ${sequence}, token ${token} is not a finite number`, {
    sequence,
    token,
  });
}
