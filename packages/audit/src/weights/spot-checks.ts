import { tolerances, type PolicyWeights } from "./audit-weights.ts";
import type { Findings } from "../findings.ts";
import { forward } from "./llama.ts";
import { shapeOf } from "./model-shape.ts";
import type { RunFolder } from "../folder/run-folder.ts";
import { settingsOf } from "../rules/settings.ts";
import type { PolicyFacts, StepFacts } from "../step-facts.ts";

/** What spot checks came to. */
export interface SpotCount {
  readonly steps: number[];
  sequences: number;
  of: number;
}

/**
 * Some sequences of a step under the weights that the folder holds of before it: log π of the policy, of the old one where it is the
 * same, and of the sampler. No gradient is computed and no weight is moved.
 */
export async function checkSequences(
  run: RunFolder,
  facts: StepFacts,
  weights: readonly PolicyWeights[],
  { sample, count, tick }: { readonly sample: number; readonly count: SpotCount; readonly tick: () => Promise<void> },
): Promise<void> {
  const { step } = facts.step;
  count.steps.push(step);
  for (const own of facts.policies) {
    const stored = weights.find(({ name }) => name === own.name)?.stored;
    const shape = stored && shapeOf(stored.model, stored.adapterScale);
    if (!stored || typeof shape !== "object") continue;
    const settings = settingsOf(run.trainAt(step), own.name);
    const all = new Map([...stored.frozen, ...stored.weights]);
    const isFresh = (step - 1) % settings.refreshOldPolicyEvery === 0;
    for (const s of spread(own.trained.length, sample)) {
      const { utterance } = own.trained[s] as PolicyFacts["trained"][number];
      const { logProbs } = forward(all, shape, {
        prompt: utterance.trace?.promptTokens ?? [],
        reply: utterance.trace?.tokens ?? [],
        temperature: facts.step.temperature ?? settings.sampling.temperature,
      });
      compare(facts, own, s, { logProbs, isFresh });
      count.sequences += 1;
      await tick();
    }
    count.of += own.trained.length;
  }
}

function compare(
  { step: { lag }, findings }: StepFacts,
  own: PolicyFacts,
  s: number,
  { logProbs, isFresh }: { readonly logProbs: readonly number[]; readonly isFresh: boolean },
): void {
  const trained = own.trained[s] as PolicyFacts["trained"][number];
  const now = firstLogProbs(own, s);
  const isCurrent = isFresh && [lag].flat().every((each) => each === 0);
  logProbs.forEach((value, token) => {
    const say = (key: string, found: unknown): void =>
      logProb(findings, { ...trained.place, token }, key, value, found);
    if (now) say("log π", now[token]);
    if (isFresh) say("log π_old", own.old[s]?.[token]);
    if (isCurrent) say("log π of the sampler", own.sampled[s]?.[token]);
  });
}

function logProb(
  findings: Findings,
  place: Parameters<Findings["number"]>[1],
  key: string,
  expected: number,
  found: unknown,
): void {
  findings.number("log-prob", place, key, expected, found, tolerances.logProb);
}

/** A sequence's log-probs in the step's first optimiser step, which the weights of before the step computed; null where it was in a later one. */
function firstLogProbs({ row, trained }: PolicyFacts, sequence: number): readonly number[] | null {
  const [first] = row.updates;
  const at = first?.rows.indexOf(sequence) ?? -1;
  if (!first || at < 0) return null;
  const lengthOf = (s: number): number => trained[s]?.utterance.trace?.tokens.length ?? 0;
  const before = first.rows.slice(0, at).reduce((sum, s) => sum + lengthOf(s), 0);
  return Array.from(first.logProbs.subarray(before, before + lengthOf(sequence)));
}

/** So many of the numbers below `length`, evenly apart. */
function spread(length: number, count: number): number[] {
  const some = Math.min(length, count);
  return Array.from({ length: some }, (_, i) => Math.floor(((i + 0.5) * length) / some));
}
