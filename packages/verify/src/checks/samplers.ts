import type { Utterance } from "@laconic/core";
import type { Findings, Place } from "../findings.ts";
import type { EvaluationRecord, StepRecord } from "../folder/record.ts";

/** Where a reply was sampled. */
interface Sampled {
  readonly place: Place;
  readonly prompt: string;
  readonly logProbs: readonly number[];
}

/** Different log-probs of a reply from which on equal ones are no coincidence. */
const leastValues = 8;
/** A difference far above what float32 rounds. */
const moved = 1e-4;
/** Replies that have to differ by so much before equal ones are copies. */
const leastMoved = 5;
const maxRemembered = 100_000;

/**
 * Who wrote the replies of evaluations. Each names the number of optimiser steps behind its weights. Equal tokens have other
 * log-probs under other weights or another prompt, so that equal ones are copies. Whether weights and prompts move log-probs at all
 * is told by the other replies of the same two evaluations.
 */
export class SamplerChecks {
  readonly #findings: Findings;
  /** The policy of each agent that learns. */
  readonly #policyOf = new Map<string, string>();
  /** Optimiser steps by policy; NaN where they cannot be counted. */
  readonly #taken = new Map<string, number>();
  readonly #byTokens = new Map<string, Sampled[]>();
  readonly #moved = new Map<string, number>();
  readonly #equal: { readonly pair: string; readonly from: Place; readonly to: Place }[] = [];

  /** @param first - the first recorded step, which names the agents that learn */
  constructor(first: StepRecord | null, findings: Findings) {
    this.#findings = findings;
    for (const [policy, { agents }] of Object.entries(first?.policies ?? {}))
      for (const agent of agents) this.#policyOf.set(agent, policy);
    for (const policy of this.#policyOf.values()) this.#taken.set(policy, first?.step === 1 ? 0 : Number.NaN);
  }

  /** Counts the optimiser steps of a training step. Engines differ in whether a skipped one counts. */
  step({ policies }: StepRecord): void {
    for (const [policy, { updates }] of Object.entries(policies)) {
      const applied = updates.every((each) => each.applied) ? updates.length : Number.NaN;
      this.#taken.set(policy, (this.#taken.get(policy) ?? Number.NaN) + applied);
    }
  }

  evaluation(place: Place, { played, episodes }: EvaluationRecord): void {
    for (const { episode, problem } of played)
      for (const utterance of episodes[episode]?.utterances ?? []) {
        const { agent, turn, opponent, trace, model } = utterance;
        const policy = this.#policyOf.get(agent);
        if (policy === undefined || opponent !== undefined || !trace) continue;
        const at = { ...place, problem: problem.id, agent, turn };
        const taken = this.#taken.get(policy) ?? Number.NaN;
        if (!Number.isNaN(taken))
          this.#findings.number("evaluation", at, "optimiser steps of the weights", taken, model.weightVersion);
        this.#compare(at, agent, trace);
      }
  }

  #compare(place: Place, agent: string, { tokens, promptTokens, logProbs }: NonNullable<Utterance["trace"]>): void {
    if (new Set(logProbs).size < leastValues) return;
    const key = `${agent} ${tokens.join()}`;
    const earlier = this.#byTokens.get(key) ?? [];
    const own = { place, prompt: promptTokens.join(), logProbs };
    for (const other of earlier) {
      const isSamePrompt = other.prompt === own.prompt;
      const between = [other.place, place].map(({ step, split }) => `${step} ${split}`);
      if (isSamePrompt && between[0] === between[1]) continue;
      const pair = `${between.join()} ${isSamePrompt}`;
      const gap = Math.max(...logProbs.map((value, t) => Math.abs(value - (other.logProbs[t] ?? Number.NaN))));
      if (gap === 0) this.#equal.push({ pair, from: other.place, to: place });
      else if (gap > moved) this.#moved.set(pair, (this.#moved.get(pair) ?? 0) + 1);
    }
    if (this.#byTokens.size < maxRemembered && earlier.length < leastMoved) this.#byTokens.set(key, [...earlier, own]);
  }

  /** Names the copies, when all evaluations were seen. */
  report(): void {
    for (const { pair, from, to } of this.#equal)
      if ((this.#moved.get(pair) ?? 0) >= leastMoved)
        this.#findings.same("evaluation", to, "reply with the log-probs of this one", null, from);
  }
}
