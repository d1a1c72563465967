import { formatNumber } from "@laconic/core/text";

interface Card {
  /** Bytes. */
  readonly memory: number;
  /** Bytes per second. */
  readonly bandwidth: number;
  /** Dense bfloat16 products with float32 sums, in TFLOP/s. */
  readonly tflops: number;
}

function card(gibibytes: number, gigabytesPerSecond: number, tflops: number): Card {
  return { memory: gibibytes * 2 ** 30, bandwidth: gigabytesPerSecond * 1e9, tflops };
}

/** Names of `laconic plan --card`. */
export const cardNames = ["l4", "rtx-3090", "rtx-4090", "rtx-5090", "l40s", "a100", "h100", "h200"] as const;

/** Name of a GPU. */
export type CardName = (typeof cardNames)[number];

/** Data sheets of NVIDIA (2026). */
export const cards: Readonly<Record<CardName, Card>> = {
  l4: card(24, 300, 121),
  "rtx-3090": card(24, 936, 71),
  "rtx-4090": card(24, 1008, 165),
  "rtx-5090": card(32, 1792, 210),
  l40s: card(48, 864, 362),
  a100: card(80, 2039, 312),
  h100: card(80, 3350, 989),
  h200: card(131, 4800, 989),
};

/** Speed of a GPU that is not here. */
export interface AssumedSpeed {
  readonly tflops: number;
  /** Bytes per second; Infinity if unknown. */
  readonly bandwidth: number;
  readonly title: string;
}

/** An update of a 0.5B model on an H100 sustains 0.17 of the data sheet (`gpu-nvidia-h100-80gb-hbm3.json`). */
const sustainedShare = 0.17;

/** Null without a card or a rate. A rate replaces the card's. */
export function assumedSpeed(name: CardName | undefined, tflops: number | undefined): AssumedSpeed | null {
  if (name === undefined)
    return tflops === undefined ? null : { tflops, bandwidth: Infinity, title: `at ${tflops} TFLOP/s` };
  const { bandwidth, tflops: published } = cards[name];
  const sustained = tflops ?? sustainedShare * published;
  return {
    tflops: sustained,
    bandwidth,
    title: `assumed of ${name}: ${formatNumber(sustained)} TFLOP/s, ${formatNumber(bandwidth / 1e9)} GB/s`,
  };
}
