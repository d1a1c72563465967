import type { SamplingName } from "@laconic/core";
import { kernelSampling, samplingParameters } from "@laconic/core/backends";
import type { SamplingKind, SamplingOnDevice, SamplingRows } from "./contract.ts";

/** Settings [B, columns of `kernelSampling`], and their summary. */
export function packSampling(rows: Omit<SamplingRows, "uniform">): {
  readonly settings: Float32Array;
  readonly kind: SamplingKind;
} {
  const count = rows.temperature.length;
  const width = kernelSampling.length;
  const settings = new Float32Array(width * count);
  const valueOf = (name: SamplingName, row: number): number => rows[name]?.[row] ?? samplingParameters[name].neutral;
  const cuts = new Set<SamplingName>();
  let greedyRows = 0;
  let tempered = false;
  let maxK = 0;
  let openTopP = false;
  for (let row = 0; row < count; row++) {
    kernelSampling.forEach((name, column) => (settings[width * row + column] = valueOf(name, row)));
    // Greedy rows ignore truncation.
    if (valueOf("temperature", row) === 0) {
      greedyRows += 1;
      continue;
    }
    tempered ||= valueOf("temperature", row) !== 1;
    maxK = Math.max(maxK, valueOf("topK", row));
    openTopP ||= valueOf("topP", row) < 1 && valueOf("topK", row) === 0;
    for (const name of kernelSampling) {
      const { cuts: removes, neutral } = samplingParameters[name];
      if (removes && valueOf(name, row) !== neutral) cuts.add(name);
    }
  }
  const greedy = greedyRows === 0 ? "none" : greedyRows === count ? "all" : "some";
  const inOrder = kernelSampling.filter((name) => cuts.has(name));
  return { settings, kind: { greedy, tempered, maxK, openTopP, cuts: inOrder } };
}

/** True if the rows are on the device. */
export function isOnDevice(rows: SamplingRows | SamplingOnDevice): rows is SamplingOnDevice {
  return "settings" in rows;
}
