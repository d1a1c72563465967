import type { SamplingKind, SamplingOnDevice, SamplingRows } from "./contract.ts";

/** Settings as a device keeps them, [B, 4]: temperature, topK, topP and minP of each row; and what they come to. */
export function packSampling(rows: Omit<SamplingRows, "uniform">): {
  readonly settings: Float32Array;
  readonly kind: SamplingKind;
} {
  const { temperature, topK, topP, minP } = rows;
  const count = temperature.length;
  const settings = new Float32Array(4 * count);
  let greedyRows = 0;
  let tempered = false;
  let maxK = 0;
  let openTopP = false;
  let anyTopP = false;
  let anyMinP = false;
  for (let row = 0; row < count; row++) {
    const [t, k, p, m] = [temperature[row], topK[row], topP[row], minP[row]] as [number, number, number, number];
    settings.set([t, k, p, m], 4 * row);
    // A greedy row takes the likeliest, whatever would be cut.
    if (t === 0) {
      greedyRows += 1;
      continue;
    }
    tempered ||= t !== 1;
    maxK = Math.max(maxK, k);
    openTopP ||= p < 1 && k === 0;
    anyTopP ||= p < 1;
    anyMinP ||= m > 0;
  }
  const greedy = greedyRows === 0 ? "none" : greedyRows === count ? "all" : "some";
  return { settings, kind: { greedy, tempered, maxK, openTopP, topP: anyTopP, minP: anyMinP } };
}

/** Whether the settings are on the device. */
export function isOnDevice(rows: SamplingRows | SamplingOnDevice): rows is SamplingOnDevice {
  return "settings" in rows;
}
