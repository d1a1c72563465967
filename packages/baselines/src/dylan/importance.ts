/** A reply as a network node. */
export interface Neuron {
  readonly agent: string;
  /** Positions of the neurons it read, all earlier. */
  readonly received: readonly number[];
  /** Weights in the same order, from {@link weightsOf}; their sum is 1. */
  readonly weights: readonly number[];
  /** Whether its answer is the result (last layer). */
  readonly agrees: boolean;
  readonly layer: number;
}

/** Scores in the last double brackets, such as `[[1, 5, 2]]`; 0 for invalid ones. */
export function scoresIn(reply: string): number[] {
  const last = [...reply.matchAll(/\[\[([^[\]]{0,400})\]\]/gu)].at(-1)?.[1];
  return last === undefined ? [] : last.split(",").map((text) => (/^\s*[+-]?\d+\s*$/u.test(text) ? Number(text) : 0));
}

export function withoutScores(reply: string): string {
  return reply.replaceAll(/\[\[[^[\]]{0,400}\]\]/gu, "").trim();
}

/** Scores divided by five, clipped to 0..1 and normalised. Equal weights if their number differs from the replies'. */
export function weightsOf(scores: readonly number[], received: number): number[] {
  const parts = Array.from({ length: received }, (_, i) =>
    scores.length === received ? Math.min(1, Math.max(0, scores[i]!) / 5) : 0,
  );
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => (sum > 0 ? part / sum : 1 / received));
}

/**
 * Agent importance score (Liu et al. 2023): the last layer's agreeing neurons share 1; earlier ones get their
 * successors' weighted shares. Summed over layers.
 */
export function agentImportance(neurons: readonly Neuron[]): Map<string, number> {
  const last = Math.max(...neurons.map(({ layer }) => layer));
  const agreeing = neurons.filter(({ layer, agrees }) => layer === last && agrees).length;
  const scores = neurons.map(({ layer, agrees }) => (layer === last && agrees ? 1 / agreeing : 0));
  const sums = new Map<string, number>();
  for (const [i, { received, weights }] of [...neurons.entries()].toReversed())
    for (const [k, from] of received.entries()) scores[from] = scores[from]! + weights[k]! * scores[i]!;
  neurons.forEach(({ agent }, i) => sums.set(agent, (sums.get(agent) ?? 0) + scores[i]!));
  return sums;
}
