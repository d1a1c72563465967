/** A reply in the network of a play. */
export interface Neuron {
  readonly agent: string;
  /** Positions of the neurons that it heard, all earlier ones. */
  readonly received: readonly number[];
  /** Of the same order, from {@link weightsOf}: they add up to 1. */
  readonly weights: readonly number[];
  /** In the last layer: its answer is the result. */
  readonly agrees: boolean;
  readonly layer: number;
}

/** The scores in a reply's last double brackets, such as `[[1, 5, 2]]`; what is no whole number is 0. */
export function scoresIn(reply: string): number[] {
  const last = [...reply.matchAll(/\[\[([^[\]]{0,400})\]\]/gu)].at(-1)?.[1];
  return last === undefined ? [] : last.split(",").map((text) => (/^\s*[+-]?\d+\s*$/u.test(text) ? Number(text) : 0));
}

/** A reply without its scores, which are no answer. */
export function withoutScores(reply: string): string {
  return reply.replaceAll(/\[\[[^[\]]{0,400}\]\]/gu, "").trim();
}

/**
 * Weights from scores of 1 to 5: a fifth each, clipped to 0 and 1, then scaled to a sum of 1. All weights are equal without scores, and
 * where their number is not that of the replies that were heard.
 */
export function weightsOf(scores: readonly number[], received: number): number[] {
  const parts = Array.from({ length: received }, (_, i) =>
    scores.length === received ? Math.min(1, Math.max(0, scores[i] as number) / 5) : 0,
  );
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => (sum > 0 ? part / sum : 1 / received));
}

/**
 * Agent importance score (Liu et al. 2023): neurons of the last layer that give the result share 1; an earlier neuron has what
 * its successors have, by their weights of it. Summed over layers.
 */
export function agentImportance(neurons: readonly Neuron[]): Map<string, number> {
  const last = Math.max(...neurons.map(({ layer }) => layer));
  const agreeing = neurons.filter(({ layer, agrees }) => layer === last && agrees).length;
  const scores = neurons.map(({ layer, agrees }) => (layer === last && agrees ? 1 / agreeing : 0));
  const sums = new Map<string, number>();
  for (const [i, { received, weights }] of [...neurons.entries()].toReversed())
    for (const [k, from] of received.entries())
      scores[from] = (scores[from] as number) + (weights[k] as number) * (scores[i] as number);
  neurons.forEach(({ agent }, i) => sums.set(agent, (sums.get(agent) ?? 0) + (scores[i] as number)));
  return sums;
}
