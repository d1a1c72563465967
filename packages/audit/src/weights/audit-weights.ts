import { join } from "node:path";
import { exact, type Findings, type Place, type Tolerance } from "../findings.ts";
import type { Sequence } from "./llama.ts";
import type { FrozenPolicy, OwnPolicy, Seen } from "./plain-policy.ts";
import type { RunFolder } from "../folder/run-folder.ts";
import { settingsOf } from "../rules/settings.ts";
import type { ExampleFacts, PolicyFacts, StepFacts, Trained } from "../step-facts.ts";
import { copyOf, readTrained, type StoredPolicy, type TrainedWeights, type Weights } from "./weights-file.ts";

/**
 * What float32 engines and this audit's float64 may lie apart, after steps of the same updates: rounding, and what AdamW makes
 * of it where a gradient is as small as rounding. Measured: the decision page on audits.
 */
export const tolerances: Readonly<Record<"logProb" | "gradNorm" | "entropy" | "weights" | "moments", Tolerance>> = {
  logProb: { absolute: 1e-3, relative: 1e-3 },
  entropy: { absolute: 1e-3, relative: 1e-3 },
  gradNorm: { absolute: 1e-6, relative: 2e-3 },
  /** Of the way that the last step moved the weights. */
  weights: { absolute: 0.05, relative: 0 },
  /** Of the moments' own norm. */
  moments: { absolute: 0.01, relative: 0 },
};

/** Weights of a policy by name, where they lie, and where the model under an adapter does. */
export interface PolicyWeights {
  readonly name: string;
  readonly stored: StoredPolicy;
  readonly folder: string;
  readonly base: string | null;
}

/** Makes weights that can be moved. */
export type PolicyMaker = (weights: PolicyWeights) => Promise<OwnPolicy>;

/** How a replay runs. */
export interface ReplayOptions {
  /** Steps that samples may be behind. */
  readonly maxLag: number;
  /** Lets others have the processor. */
  readonly tick: () => Promise<void>;
  /** Named with differences where it is not this audit's own code. */
  readonly by?: string | undefined;
}

interface Moved {
  readonly policy: OwnPolicy;
  /** log π under the first weights, for a KL term. */
  readonly reference: Pick<OwnPolicy, "forward"> | null;
  /** The weights at the beginning of recent steps, newest last. */
  readonly history: { readonly step: number; readonly policy: FrozenPolicy }[];
  readonly place: string;
}

/** Moves each policy's weights by itself, step by step, and compares what the run recorded on the way. */
export class WeightAudit {
  readonly #run: RunFolder;
  readonly #policies: ReadonlyMap<string, Moved>;
  readonly #findings: Findings;
  readonly #maxLag: number;
  readonly #tick: () => Promise<void>;
  readonly #by: Pick<Place, "by">;

  private constructor(
    run: RunFolder,
    policies: ReadonlyMap<string, Moved>,
    findings: Findings,
    { maxLag, tick, by }: ReplayOptions,
  ) {
    this.#run = run;
    this.#policies = policies;
    this.#findings = findings;
    this.#maxLag = maxLag;
    this.#tick = tick;
    this.#by = by === undefined ? {} : { by };
  }

  /**
   * @param start - the weights that the replay begins with
   * @param first - those of the run's beginning, where they are known
   */
  static async open(
    run: RunFolder,
    { start, first }: { readonly start: readonly PolicyWeights[]; readonly first: readonly PolicyWeights[] | null },
    make: PolicyMaker,
    findings: Findings,
    options: ReplayOptions,
  ): Promise<WeightAudit> {
    const policies = new Map<string, Moved>();
    for (const each of start) {
      const { name } = each;
      const { objective } = settingsOf(run.train, name);
      const needsReference =
        typeof objective === "object" && objective.kl !== undefined && objective.kl.to === undefined;
      const own = needsReference ? first?.find((other) => other.name === name) : undefined;
      const [policy, reference] = [await make(each), own ? await make(own) : null];
      policies.set(name, { policy, reference, history: [], place: start.length === 1 ? "" : name });
    }
    return new WeightAudit(run, policies, findings, options);
  }

  async step(facts: StepFacts): Promise<void> {
    for (const each of facts.policies) await this.#policy(facts, each);
  }

  async close(): Promise<void> {
    for (const { policy } of this.#policies.values()) await policy.close();
  }

  async #policy(facts: StepFacts, own: PolicyFacts): Promise<void> {
    const { step } = facts.step;
    const settings = settingsOf(this.#run.trainAt(step), own.name);
    const moved = this.#policies.get(own.name) as Moved;
    const { policy, history } = moved;
    const { refreshOldPolicyEvery: every } = settings;
    // π_old is the policy at its last refresh; samples may be of older weights still.
    if ((step - 1) % every === 0 || history.length === 0) history.push({ step, policy: await policy.copy() });
    while (history.length > this.#maxLag + 1) await history.shift()?.policy.free?.();
    const sequences = own.trained.map(({ utterance }): Sequence => ({
      prompt: utterance.trace?.promptTokens ?? [],
      reply: utterance.trace?.tokens ?? [],
      temperature: facts.step.temperature ?? settings.sampling.temperature,
    }));
    // Until the first optimiser step the weights are the old policy's, unless that is older.
    const isFresh = (step - 1) % every === 0;
    const known = new Map<number, Seen>();
    const [first] = isFresh ? own.row.updates : [];
    const dLogProbsOfFirst = own.updates[0]?.dLogProbs;
    const sequencesOf = (rows: readonly number[]): Sequence[] => rows.map((s) => sequences[s] as Sequence);
    const backward = (rows: readonly number[], u: number): ReturnType<typeof withExamples> =>
      withExamples(policy, sequencesOf(rows), own.updates[u] as PolicyFacts["updates"][number]);
    const early = first && dLogProbsOfFirst ? await backward(first.rows, 0) : null;
    first?.rows.forEach((s, i) => early?.seen[i] && known.set(s, early.seen[i]));
    await this.#old(facts, own, moved, sequences, known);
    if (own.row.refLogProbs && moved.reference) {
      const seen = await this.#inBatches(moved.reference, sequences);
      let at = 0;
      seen.forEach(({ logProbs }, s) =>
        logProbs.forEach((value, token) =>
          this.#logProb(own.trained[s], token, "log π_ref", value, own.row.refLogProbs?.[at++]),
        ),
      );
    }
    const { row } = own;
    for (const [u, update] of row.updates.entries()) {
      const { dLogProbs, learningRate, examples } = own.updates[u] as PolicyFacts["updates"][number];
      if (!dLogProbs) return;
      const before = u === row.updates.length - 1 ? copyOf(await policy.weights()) : null;
      await this.#tick();
      const { seen, norm } = (u === 0 && early) || (await backward(update.rows, u));
      const place = { step, policy: own.name, optimizerStep: update.optimizerStep, ...this.#by };
      let at = 0;
      let entropy = 0;
      this.#examples(seen.slice(update.rows.length), examples, place);
      seen.slice(0, update.rows.length).forEach(({ logProbs, entropies }, i) => {
        entropies.forEach((each) => (entropy += each));
        const trained = own.trained[update.rows[i] as number];
        logProbs.forEach((value, token) => this.#logProb(trained, token, "log π", value, update.logProbs[at++]));
      });
      const count = update.entropy.count;
      this.#findings.number(
        "log-prob",
        place,
        "entropy",
        entropy / count,
        update.entropy.sum / count,
        tolerances.entropy,
      );
      this.#findings.number(
        "gradient",
        place,
        "gradient norm",
        norm,
        update.gradNorm ?? undefined,
        tolerances.gradNorm,
      );
      this.#findings.same("optimizer", place, "applied", Number.isFinite(norm), update.applied);
      if (update.applied) await policy.step(settings.optimizer, learningRate);
      if (before) await this.#checkpoint(step, own.name, moved, before);
      await this.#tick();
    }
  }

  #examples(seen: readonly Seen[], { logProbs: recorded }: ExampleFacts, place: Place): void {
    seen.forEach(({ logProbs }, sequence) =>
      logProbs.forEach((value, token) =>
        this.#findings.number(
          "log-prob",
          { ...place, sequence, token },
          "log π of examples",
          value,
          recorded[sequence]?.[token],
          tolerances.logProb,
        ),
      ),
    );
  }

  #logProb(trained: Trained | undefined, token: number, key: string, expected: number, found: unknown): void {
    this.#findings.number(
      "log-prob",
      { ...trained?.place, token, ...this.#by },
      key,
      expected,
      found,
      tolerances.logProb,
    );
  }

  /** log π_old under the weights of the last refresh, and the sampler's under those that sampled. */
  async #old(
    facts: StepFacts,
    own: PolicyFacts,
    { history }: Moved,
    sequences: readonly Sequence[],
    known: ReadonlyMap<number, Seen>,
  ): Promise<void> {
    const { step, lag } = facts.step;
    const now = history.at(-1)?.policy;
    if (!now) return;
    const unknown = [...sequences.keys()].filter((s) => !known.has(s));
    const others = await this.#inBatches(
      now,
      unknown.map((s) => sequences[s] as Sequence),
    );
    const seen = sequences.map((_, s) => known.get(s) ?? (others[unknown.indexOf(s)] as Seen));
    const isAsynchronous = this.#run.train.asynchronous !== null;
    for (const [s, { logProbs }] of seen.entries()) {
      const trained = own.trained[s] as Trained;
      const behind = typeof lag === "number" ? lag : (lag[trained.problem] ?? 0);
      const sampler = history.find((each) => each.step === step - behind)?.policy;
      const sampled =
        behind === 0 ? logProbs : sampler && (await sampler.forward([sequences[s] as Sequence]))[0]?.logProbs;
      if (isAsynchronous && !sampled)
        this.#findings.leaveOut(
          "log-probs of the first late samples",
          "the weights that spoke are of before the audited steps",
        );
      logProbs.forEach((value, token) => {
        this.#logProb(trained, token, "log π_old", value, own.old[s]?.[token]);
        if (sampled)
          this.#logProb(trained, token, "log π of the sampler", sampled[token] as number, own.sampled[s]?.[token]);
      });
    }
  }

  async #inBatches(policy: Pick<OwnPolicy, "forward">, sequences: readonly Sequence[]): Promise<Seen[]> {
    const seen: Seen[] = [];
    for (let at = 0; at < sequences.length; at += 32) {
      seen.push(...(await policy.forward(sequences.slice(at, at + 32))));
      await this.#tick();
    }
    return seen;
  }

  /** The folder's weights after a step, where it kept them, against those that were moved here. */
  async #checkpoint(step: number, name: string, { policy, place }: Moved, before: Weights): Promise<void> {
    const kept = this.#run.checkpoints.find((each) => each.step === step);
    const stored = kept && (await readTrained(join(kept.folder, place)));
    if (!stored) return;
    const weights = await policy.weights();
    const [apart, last] = [distance(weights, stored.weights), distance(weights, before)];
    const at = { step, policy: name, ...this.#by };
    const worst = [...weights.keys()].toSorted(
      (a, b) => distanceOf(weights, stored.weights, b) - distanceOf(weights, stored.weights, a),
    )[0];
    this.#findings.number(
      "weights",
      at,
      `weights, distance in last steps (most in ${worst})`,
      0,
      last === 0 && apart === 0 ? 0 : apart / last,
      tolerances.weights,
    );
    this.#moments(policy, stored, at);
    const steps = this.#run.train.epochs * step * this.#run.train.minibatches;
    if (stored.steps > steps) this.#findings.number("weights", at, "optimiser steps", steps, stored.steps, exact);
  }

  /** The optimiser's state after a step, where the folder kept it and who computes can tell. */
  #moments({ moments }: OwnPolicy, stored: TrainedWeights, at: Place): void {
    const own = moments?.();
    for (const key of ["first", "second"] as const) {
      if (!own || stored[key].size === 0) continue;
      const [norm, gap] = [distance(own[key], new Map()), distance(own[key], stored[key])];
      const share = norm === 0 && gap === 0 ? 0 : gap / norm;
      this.#findings.number("weights", at, `${key} moments, distance in their norm`, 0, share, tolerances.moments);
    }
  }
}

/** Of what was earned, and of the supervised examples of the same optimiser step. */
async function withExamples(
  policy: OwnPolicy,
  sequences: readonly Sequence[],
  { dLogProbs, examples }: PolicyFacts["updates"][number],
): ReturnType<OwnPolicy["backward"]> {
  return policy.backward([...sequences, ...examples.sequences], [...(dLogProbs ?? []), ...examples.dLogProbs]);
}

function distanceOf(a: Weights, b: Weights, name: string): number {
  const [x, y] = [a.get(name)?.values ?? [], b.get(name)?.values];
  let squares = 0;
  x.forEach((value, i) => (squares += (value - (y?.[i] ?? 0)) ** 2));
  return squares;
}

function distance(a: Weights, b: Weights): number {
  let squares = 0;
  for (const name of a.keys()) squares += distanceOf(a, b, name);
  return Math.sqrt(squares);
}
