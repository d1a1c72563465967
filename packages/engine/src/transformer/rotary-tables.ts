import type { Kernels, RotaryTables } from "../kernels/index.ts";
import { cosine, sine } from "@laconic/core/numeric";
import type { ModelConfig } from "./model-config.ts";

/** Cosines and sines of every position and frequency (Su et al. 2021; Llama 3.1 scaling where the config asks for it). */
export function rotaryTables(kernels: Kernels, config: ModelConfig): RotaryTables {
  const half = config.headDim / 2;
  const frequencies = Float64Array.from({ length: half }, (_, i) => frequency(config, i));
  const table = (f: (angle: number) => number): Float64Array =>
    Float64Array.from({ length: config.maxPositions * half }, (_, n) =>
      f(Math.floor(n / half) * (frequencies[n % half] as number)),
    );
  const shape = [config.maxPositions, half];
  return {
    cos: kernels.keep(kernels.upload(table(cosine), shape)),
    sin: kernels.keep(kernels.upload(table(sine), shape)),
  };
}

function frequency(config: ModelConfig, index: number): number {
  const base = config.ropeTheta ** ((-2 * index) / config.headDim);
  const scaling = config.ropeScaling;
  if (scaling === null) return base;
  const wavelength = (2 * Math.PI) / base;
  const ratio = scaling.originalMaxPositions / wavelength;
  if (ratio < scaling.lowFrequencyFactor) return base / scaling.factor;
  if (ratio > scaling.highFrequencyFactor) return base;
  // Between the two the frequency blends from stretched to unchanged.
  const smooth = (ratio - scaling.lowFrequencyFactor) / (scaling.highFrequencyFactor - scaling.lowFrequencyFactor);
  return ((1 - smooth) * base) / scaling.factor + smooth * base;
}
