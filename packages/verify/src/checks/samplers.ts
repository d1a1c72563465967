import type { TokenTrace } from "@laconic/core";
import type { Findings, Place } from "../findings.ts";
import type { PlayedRecord, StepRecord } from "../folder/record.ts";
import type { Json } from "../rules/closed-set.ts";

/** Min distinct log-probs in a reply for a match to count. */
const leastValues = 8;
/** Well above float32 rounding. */
const moved = 1e-4;
/** Replies that must differ before equal ones count as copies. */
const leastMoved = 5;

/**
 * Detects copied evaluation replies. Each reply names the number of optimizer steps of its weights. Equal tokens have
 * different log-probs under other weights or prompts, so equal log-probs mean a copy. Updates in between, or other
 * replies of the same two evaluations, show whether log-probs change at all.
 */
export class SamplerChecks {
  readonly #findings: Findings;
  readonly #policyOf = new Map<string, string>();
  /** NaN if unknown. */
  readonly #taken = new Map<string, number>();
  readonly #byTokens = new Map<string, Readonly<{ place: Place; prompt: string; logProbs: readonly number[] }>[]>();
  readonly #moved = new Map<string, number>();
  /** Last step in which a policy's updates changed log-probs. */
  readonly #movedAt = new Map<string, number>();
  readonly #equal: { readonly pair: string | null; readonly from: Place; readonly to: Place }[] = [];

  /** @param first - first recorded step, which lists the trained agents */
  constructor(first: StepRecord | undefined, findings: Findings) {
    this.#findings = findings;
    for (const [policy, { agents }] of Object.entries(first?.policies ?? {})) {
      this.#taken.set(policy, first?.step === 1 ? 0 : Number.NaN);
      for (const agent of agents) this.#policyOf.set(agent, policy);
    }
  }

  /** Counts optimizer steps. Engines differ in whether a skipped one counts. @param row - the step's metrics */
  step({ step, policies }: StepRecord, row: Json | null): void {
    for (const [policy, { updates }] of Object.entries(policies)) {
      const ratio = row?.["log_ratio_abs_max"] ?? row?.[`policy/${policy}/log_ratio_abs_max`];
      if (Number(ratio) > 0.01) this.#movedAt.set(policy, step);
      const applied = updates.every((update) => update.applied) ? updates.length : Number.NaN;
      this.#taken.set(policy, (this.#taken.get(policy) ?? Number.NaN) + applied);
    }
  }

  evaluation(location: Place, { played }: PlayedRecord): void {
    for (const { episode, problem } of played)
      for (const { agent, turn, opponent, trace, model } of episode.utterances) {
        const policy = this.#policyOf.get(agent);
        if (policy === undefined || opponent !== undefined || !trace) continue;
        const own = { ...location, problem: problem.id, agent, turn };
        const taken = this.#taken.get(policy) ?? Number.NaN;
        const comparisons = this.#findings.at("evaluation", own);
        if (!Number.isNaN(taken)) comparisons.number("optimizer steps of the weights", taken, model.weightVersion);
        if (new Set(trace.logProbs).size >= leastValues) this.#compare(policy, own, trace);
      }
  }

  #compare(policy: string, location: Place, { promptTokens, tokens, logProbs }: TokenTrace): void {
    const own = { place: location, prompt: promptTokens.join(), logProbs };
    const key = `${policy} ${tokens.join()}`;
    const earlier = this.#byTokens.get(key) ?? [];
    for (const other of earlier) {
      const isSamePrompt = other.prompt === own.prompt;
      const [from, to] = [other.place, location].map(({ step, split }) => `${step} ${split}`);
      if (isSamePrompt && from === to) continue;
      const isMoved = isSamePrompt && (this.#movedAt.get(policy) ?? 0) > (other.place.step ?? 0);
      const pair = isMoved ? null : `${policy} ${from} ${to} ${isSamePrompt}`;
      const gap = Math.max(...logProbs.map((value, t) => Math.abs(value - (other.logProbs[t] ?? Number.NaN))));
      if (gap === 0) this.#equal.push({ pair, from: other.place, to: location });
      else if (gap > moved && pair !== null) this.#moved.set(pair, (this.#moved.get(pair) ?? 0) + 1);
    }
    if (this.#byTokens.size < 100_000 && earlier.length < leastMoved) this.#byTokens.set(key, [...earlier, own]);
  }

  /** Reports copies after all evaluations. */
  report(): void {
    for (const { pair, from, to } of this.#equal)
      if (pair === null || (this.#moved.get(pair) ?? 0) >= leastMoved)
        this.#findings.at("evaluation", to).same("reply with the log-probs of this one", null, from);
  }
}
