import { qwen2Config } from "../model-geometry.ts";

export interface GpuJob {
  readonly config: Readonly<Record<string, unknown>>;
  readonly update: { readonly sequences: number; readonly tokens: number };
  /** Rows, tokens of a prompt and of a reply. */
  readonly decode: { readonly rows: readonly number[]; readonly prompt: number; readonly tokens: number };
  readonly parity: { readonly sequences: number; readonly tokens: number };
}

const shared = { kvHeads: 2, positions: 4096, ropeTheta: 1_000_000 } as const;

/** Shape of Qwen2.5-0.5B. */
export const halfBillion: GpuJob = {
  config: qwen2Config({ ...shared, vocabulary: 151_936, hidden: 896, feedForward: 4864, layers: 24, heads: 14 }),
  update: { sequences: 16, tokens: 1024 },
  decode: { rows: [64, 256], prompt: 64, tokens: 128 },
  parity: { sequences: 4, tokens: 300 },
};

export const small: GpuJob = {
  config: qwen2Config({ ...shared, vocabulary: 512, hidden: 64, feedForward: 192, layers: 2, heads: 4 }),
  update: { sequences: 4, tokens: 64 },
  decode: { rows: [4], prompt: 16, tokens: 16 },
  parity: { sequences: 4, tokens: 30 },
};

/** Reproducible by a peer, [sequences][tokens]. */
export function parityTokens({ config, parity }: GpuJob): number[][] {
  return Array.from({ length: parity.sequences }, (_, s) =>
    Array.from({ length: parity.tokens }, (__, t) => (131 * s + 7919 * t + 17) % Number(config["vocab_size"])),
  );
}
