import type { Utterance } from "@laconic/core";
import { exact, type Findings, type Place } from "../findings.ts";
import type { AuditedPolicy, AuditedStep, AuditedUpdate } from "../folder/record.ts";
import type { ResolvedSettings } from "../rules/settings.ts";
import type { Judged, Trained } from "../step-facts.ts";

/** Every utterance of the policy's agents that has a token, once, in the order of the rollouts. */
export function toBeTrained(
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

/** Names an utterance of a step. */
export const nameOf = (rollout: number, turn: number): string => `${rollout}/${turn}`;

/** What the policy was trained on, as recorded, each with its place; compared with what there was to train on. */
export function trainedOf(
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

/** A flat column by sequence. */
export function cut(values: ArrayLike<number>, sequences: readonly Pick<Trained, "utterance">[]): number[][] {
  let at = 0;
  return sequences.map(({ utterance }) =>
    Array.from({ length: utterance.trace?.tokens.length ?? 0 }, () => values[at++] ?? Number.NaN),
  );
}

/** In each epoch every sequence goes into one optimiser step. */
export function checkRows(
  findings: Findings,
  place: Place,
  trained: readonly Trained[],
  { updates }: AuditedPolicy,
  { epochs, minibatches }: ResolvedSettings,
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
