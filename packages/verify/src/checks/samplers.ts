import type { TokenTrace } from "@laconic/core";
import type { Findings, Place } from "../findings.ts";
import type { PlayedRecord, StepRecord } from "../folder/record.ts";
import type { Json } from "../rules/closed-set.ts";

/** Different log-probs of a reply from which on equal ones are no coincidence. */
const leastValues = 8;
/** Far above what float32 rounds. */
const moved = 1e-4;
/** Replies that have to differ by so much before equal ones are copies. */
const leastMoved = 5;

/**
 * Who wrote the replies of evaluations. Each names the number of optimiser steps behind its weights. Equal tokens have other
 * log-probs under other weights or another prompt, so that equal ones are copies. Whether weights and prompts move log-probs at all
 * is told by updates in between, or by the other replies of the same two evaluations.
 */
export class SamplerChecks {
  readonly #findings: Findings;
  readonly #policyOf = new Map<string, string>();
  /** Optimiser steps by policy; NaN where they cannot be counted. */
  readonly #taken = new Map<string, number>();
  readonly #byTokens = new Map<string, Readonly<{ place: Place; prompt: string; logProbs: readonly number[] }>[]>();
  readonly #moved = new Map<string, number>();
  /** The last step in which a policy's own updates moved log-probs. */
  readonly #movedAt = new Map<string, number>();
  readonly #equal: { readonly pair: string | null; readonly from: Place; readonly to: Place }[] = [];

  /** @param first - the first recorded step, which names the agents that learn */
  constructor(first: StepRecord | undefined, findings: Findings) {
    this.#findings = findings;
    for (const [policy, { agents }] of Object.entries(first?.policies ?? {})) {
      this.#taken.set(policy, first?.step === 1 ? 0 : Number.NaN);
      for (const agent of agents) this.#policyOf.set(agent, policy);
    }
  }

  /** Counts the optimiser steps of a training step. Engines differ in whether a skipped one counts. @param row - of its metrics */
  step({ step, policies }: StepRecord, row: Json | null): void {
    for (const [policy, { updates }] of Object.entries(policies)) {
      const ratio = row?.["log_ratio_abs_max"] ?? row?.[`policy/${policy}/log_ratio_abs_max`];
      if (Number(ratio) > 0.01) this.#movedAt.set(policy, step);
      const applied = updates.every((each) => each.applied) ? updates.length : Number.NaN;
      this.#taken.set(policy, (this.#taken.get(policy) ?? Number.NaN) + applied);
    }
  }

  evaluation(place: Place, { played }: PlayedRecord): void {
    for (const { episode, problem } of played)
      for (const { agent, turn, opponent, trace, model } of episode.utterances) {
        const policy = this.#policyOf.get(agent);
        if (policy === undefined || opponent !== undefined || !trace) continue;
        const own = { ...place, problem: problem.id, agent, turn };
        const taken = this.#taken.get(policy) ?? Number.NaN;
        const at = this.#findings.at("evaluation", own);
        if (!Number.isNaN(taken)) at.number("optimiser steps of the weights", taken, model.weightVersion);
        if (new Set(trace.logProbs).size >= leastValues) this.#compare(policy, own, trace);
      }
  }

  #compare(policy: string, place: Place, { promptTokens, tokens, logProbs }: TokenTrace): void {
    const own = { place, prompt: promptTokens.join(), logProbs };
    const key = `${policy} ${tokens.join()}`;
    const earlier = this.#byTokens.get(key) ?? [];
    for (const other of earlier) {
      const isSamePrompt = other.prompt === own.prompt;
      const [from, to] = [other.place, place].map(({ step, split }) => `${step} ${split}`);
      if (isSamePrompt && from === to) continue;
      const isMoved = isSamePrompt && (this.#movedAt.get(policy) ?? 0) > (other.place.step ?? 0);
      const pair = isMoved ? null : `${policy} ${from} ${to} ${isSamePrompt}`;
      const gap = Math.max(...logProbs.map((value, t) => Math.abs(value - (other.logProbs[t] ?? Number.NaN))));
      if (gap === 0) this.#equal.push({ pair, from: other.place, to: place });
      else if (gap > moved && pair !== null) this.#moved.set(pair, (this.#moved.get(pair) ?? 0) + 1);
    }
    if (this.#byTokens.size < 100_000 && earlier.length < leastMoved) this.#byTokens.set(key, [...earlier, own]);
  }

  /** Names the copies, when all evaluations were seen. */
  report(): void {
    for (const { pair, from, to } of this.#equal)
      if (pair === null || (this.#moved.get(pair) ?? 0) >= leastMoved)
        this.#findings.at("evaluation", to).same("reply with the log-probs of this one", null, from);
  }
}
