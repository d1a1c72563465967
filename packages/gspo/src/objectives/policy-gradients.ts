import type { Objective } from "@laconic/core";
import { exponential } from "@laconic/core/numeric";
import { checkOption } from "../check-option.ts";
import { refuseImportance } from "./assemble.ts";
import { tokenObjective, type TokenLevelOptions } from "./token-level.ts";

/** REINFORCE (Williams 1992): l = -A log π, gradient -A. */
export function reinforce(options: TokenLevelOptions = {}): Objective {
  const { aggregation = "token-mean" } = options;
  return tokenObjective(
    "reinforce",
    {},
    { ...options, aggregation, ratioDetached: true },
    (_, advantage, logProb, out) => {
      out.loss = -advantage * logProb;
      out.dLogProb = -advantage;
      out.clipped = 0;
    },
  );
}

/** Bounds of CISPO's detached weight. */
export interface CispoOptions extends TokenLevelOptions {
  /** Upper bound: 5 in ScaleRL and TRL. */
  readonly maxRatio?: number;
  /** Lower bound: none in TRL, 1 - clip in verl, SkyRL and Tinker. */
  readonly minRatio?: number;
}

/** CISPO (MiniMax-M1): l = -sg[clip(w)] A log π, gradient -clip(w) A, never 0. */
export function cispo(options: CispoOptions = {}): Objective {
  const { maxRatio = 5, minRatio = 0, aggregation = "token-mean" } = options;
  checkOption(maxRatio > 1, "cispo: maxRatio", maxRatio, "above 1");
  checkOption(minRatio >= 0 && minRatio < 1, "cispo: minRatio", minRatio, "in [0, 1)");
  refuseImportance("cispo", "ratio", options);
  return tokenObjective(
    "cispo",
    { maxRatio, minRatio },
    { ...options, aggregation, ratioDetached: true },
    (ratio, advantage, logProb, out) => {
      const weight = ratio > maxRatio ? maxRatio : ratio < minRatio ? minRatio : ratio;
      out.loss = -weight * advantage * logProb;
      out.dLogProb = -weight * advantage;
      out.clipped = advantage === 0 ? 0 : ratio > maxRatio ? 1 : ratio < minRatio ? -1 : 0;
    },
  );
}

/** Temperatures of SAPO's soft gate. */
export interface SapoOptions extends TokenLevelOptions {
  /** τ for A > 0. Default 1. */
  readonly positiveTemperature?: number;
  /** τ for A <= 0. Default 1.05. */
  readonly negativeTemperature?: number;
}

/** SAPO: l = -A (4/τ) q with q = sigmoid(τ (w - 1)), gradient -A w 4 q (1 - q): a soft gate instead of a clip. */
export function sapo(options: SapoOptions = {}): Objective {
  const { positiveTemperature = 1, negativeTemperature = 1.05, aggregation = "seq-mean-token-mean" } = options;
  const settings = { positiveTemperature, negativeTemperature };
  for (const [name, tau] of Object.entries(settings))
    checkOption(tau > 0 && tau < Infinity, `sapo: ${name}`, tau, "above 0 and finite");
  return tokenObjective("sapo", settings, { ...options, aggregation }, (ratio, advantage, _, out) => {
    const tau = advantage > 0 ? positiveTemperature : negativeTemperature;
    const gate = 1 / (1 + exponential(-tau * (ratio - 1)));
    out.loss = (-4 * advantage * gate) / tau;
    out.dLogProb = -4 * advantage * ratio * gate * (1 - gate);
    out.clipped = 0;
  });
}
