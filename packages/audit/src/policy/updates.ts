import type { Findings, Place } from "../findings.ts";
import type { AuditedPolicy, AuditedStep } from "../folder/record.ts";
import type { StepContext } from "../memory.ts";
import { lossOf } from "../rules/losses.ts";
import type { UnitRow } from "../rules/objectives.ts";
import { joined, parted } from "../rules/ratio-units.ts";
import { correctionOf } from "../rules/sample-weights.ts";
import { isOwnValue } from "../rules/schema.ts";
import { rateAt, type ResolvedSettings } from "../rules/settings.ts";
import type { PolicyFacts, Trained } from "../step-facts.ts";
import { examplesOf } from "./examples.ts";
import { cut } from "./trained.ts";

/** The old policy's log-probs: recorded, or the sampler's. */
export function oldLogProbsOf(
  findings: Findings,
  { oldLogProbs }: ResolvedSettings,
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

/** Loss, gradient and learning rate of each optimiser step, from recorded log-probs. */
export function updatesOf(
  context: StepContext,
  settings: ResolvedSettings,
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
