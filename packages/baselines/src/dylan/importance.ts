import type { Random } from "@laconic/core";
import type { Line, Stage, Turn } from "@laconic/topologies";

/** A reply in the network of a play: what it heard, how it weighs that, and whether it gives the result. */
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

/** The scores of a reply's last double brackets, such as `[[1, 5, 2]]`; what is no whole number is 0. */
export function scoresIn(reply: string): number[] {
  const last = [...reply.matchAll(/\[\[([^[\]]{0,400})\]\]/gu)].at(-1)?.[1];
  return last === undefined ? [] : last.split(",").map((each) => (/^\s*[+-]?\d+\s*$/u.test(each) ? Number(each) : 0));
}

/** A reply without its scores, which are no answer. */
export function withoutScores(reply: string): string {
  return reply.replaceAll(/\[\[[^[\]]{0,400}\]\]/gu, "").trim();
}

/**
 * Weights of what was heard, from scores of 1 to 5: a fifth each, more is 1, less is 0, then to a sum of 1. Another number of scores
 * than of what was heard is no score at all; without a score all weigh alike.
 */
export function weightsOf(scores: readonly number[], received: number): number[] {
  const parts = Array.from({ length: received }, (_, i) =>
    scores.length === received ? Math.min(1, Math.max(0, scores[i] as number) / 5) : 0,
  );
  const sum = parts.reduce((total, each) => total + each, 0);
  return parts.map((each) => (sum > 0 ? each / sum : 1 / received));
}

/**
 * Agent importance score (Liu et al. 2023): those of the last layer that give the result share 1; an earlier neuron has what
 * its successors have, by their weights of it. Summed over layers.
 */
export function agentImportance(neurons: readonly Neuron[]): Map<string, number> {
  const last = Math.max(...neurons.map(({ layer }) => layer));
  const agreeing = neurons.filter(({ layer, agrees }) => layer === last && agrees).length;
  const scores = neurons.map(({ layer, agrees }) => (layer === last && agrees ? 1 / agreeing : 0));
  for (let i = neurons.length - 1; i >= 0; i--) {
    const { received: heard, weights } = neurons[i] as Neuron;
    heard.forEach(
      (from, k) => (scores[from] = (scores[from] as number) + (weights[k] as number) * (scores[i] as number)),
    );
  }
  const sums = new Map<string, number>();
  neurons.forEach(({ agent }, i) => sums.set(agent, (sums.get(agent) ?? 0) + (scores[i] as number)));
  return sums;
}

/** Two of several, by position from 0. */
export interface BestTwo {
  readonly best: readonly number[];
  /** The ranking named no two. */
  readonly drawn: boolean;
}

/** What an episode notes where they were drawn. */
export const drawnNote = "ranking-drawn";

/**
 * The two that a listwise ranking names, as `[i, j]`, from 1; the last such pair counts. Numbers are clipped to the range. Another
 * reply, and one that names the same twice, has two drawn: the released code lets the same one go on twice.
 */
export function bestTwo(reply: string, count: number, random: Random): BestTwo {
  const pair = [...reply.matchAll(/\[\s*(\d{1,6})\s*,\s*(\d{1,6})\s*\]/gu)].at(-1);
  const [first, second] = [pair?.[1], pair?.[2]].map((each) => Math.min(count, Math.max(1, Number(each))) - 1);
  if (pair && first !== second) return { best: [first as number, second as number], drawn: false };
  return { best: random.shuffle(Array.from({ length: count }, (_, i) => i)).slice(0, 2), drawn: true };
}

/** The agents of the two turns that a ranker names, in its order. */
export async function rankedBest(
  stage: Stage,
  turns: readonly Turn[],
  random: Random,
  line: Pick<Line, "prompt" | "maxTokens" | "temperature">,
): Promise<string[]> {
  const [choice] = await stage.say({ agent: "ranker", reads: turns.map(({ message }) => message), ...line });
  const { best, drawn } = bestTwo(choice?.utterance.text ?? "", turns.length, random);
  if (drawn) stage.note(drawnNote);
  return best.flatMap((i) => turns[i]?.call.agent ?? []);
}
