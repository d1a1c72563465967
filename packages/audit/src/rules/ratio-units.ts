import type { Trained } from "../step-facts.ts";

/** Positions in an optimiser step that share a ratio, in order of appearance. */
export function joined(unit: string, own: readonly Trained[]): number[][] {
  const units = new Map<string, number[]>();
  own.forEach(({ rollout, utterance: { agent, turn } }, i) => {
    const keys = { message: [i], turn: [rollout, agent, turn], trajectory: [rollout, agent], joint: [rollout] }[unit];
    const key = JSON.stringify(keys ?? [i]);
    units.set(key, [...(units.get(key) ?? []), i]);
  });
  return [...units.values()];
}

/** Gradients of units as those of their sequences, in the order of the optimiser step. */
export function parted(
  dLogProbs: readonly (readonly number[])[],
  units: readonly (readonly number[])[],
  now: readonly (readonly number[])[],
): number[][] {
  const found: number[][] = now.map(() => []);
  units.forEach((members, u) => {
    let at = 0;
    for (const i of members) {
      const length = now[i]?.length ?? 0;
      found[i] = (dLogProbs[u] as number[]).slice(at, at + length);
      at += length;
    }
  });
  return found;
}
