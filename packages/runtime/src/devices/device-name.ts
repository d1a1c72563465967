import { LaconicError } from "@laconic/core";

/** A device as it is named: `cuda`, or `cuda:0,1` for these of its GPUs. */
export interface DeviceName {
  readonly name: string;
  /** One worker each; null leaves the choice to the device. */
  readonly indices: readonly number[] | null;
}

/** @throws LaconicError `device_unavailable` for indices that are none, or that come twice */
export function parseDeviceName(text: string): DeviceName {
  const colon = text.indexOf(":");
  if (colon < 0) return { name: text, indices: null };
  const name = text.slice(0, colon);
  const indices = text.slice(colon + 1).split(",");
  if (!indices.every((index) => /^\d{1,4}$/u.test(index)))
    throw new LaconicError(
      "device_unavailable",
      `device ${text}: behind the colon stand numbers of GPUs, as in ${name}:0 or ${name}:0,1`,
      { device: text },
    );
  const numbers = indices.map(Number);
  const twice = numbers.find((index, i) => numbers.indexOf(index) < i);
  if (twice !== undefined)
    throw new LaconicError(
      "device_unavailable",
      `device ${text}: GPU ${twice} comes twice; each worker needs one of its own`,
      { device: text },
    );
  return { name, indices: numbers };
}
