import type { EngineCapabilities } from "@laconic/core";
import { sizeOf } from "../../kernels/index.ts";
import { trainable, type ModelOnDevice } from "../../transformer/model-on-device.ts";

export interface GradientExchange {
  readonly buffer: SharedArrayBuffer;
  readonly replicas: number;
  readonly parameters: number;
  /** Sums are rounded as on one device. */
  readonly dtype: "float32" | "float64";
}

type Floats = Float32Array<SharedArrayBuffer> | Float64Array<SharedArrayBuffer>;

export function createExchange(
  parameters: number,
  replicas: number,
  device: EngineCapabilities["dtype"],
): GradientExchange {
  const dtype = device === "float64" ? "float64" : "float32";
  const bytes = dtype === "float64" ? 8 : 4;
  return { buffer: new SharedArrayBuffer(bytes * parameters * replicas), replicas, parameters, dtype };
}

export function slotViews(
  exchange: GradientExchange,
  replica: number,
  model: ModelOnDevice,
): { readonly name: string; readonly shape: readonly number[]; readonly values: Floats }[] {
  const all = slot(exchange, replica);
  let offset = 0;
  return Array.from(trainable(model), ([name, { shape }]) => {
    const start = offset;
    offset += sizeOf(shape);
    return { name, shape, values: all.subarray(start, offset) };
  });
}

/** Sums this replica's share into the first slot. The fixed order of replicas makes results independent of timing. */
export function sumShare(exchange: GradientExchange, replica: number): void {
  const { parameters, replicas } = exchange;
  const [start, end] = [replica, replica + 1].map((value) => Math.floor((parameters * value) / replicas));
  const sums = slot(exchange, 0).subarray(start, end);
  for (let other = 1; other < replicas; other++) {
    const addends = slot(exchange, other).subarray(start, end);
    for (let k = 0; k < sums.length; k++) sums[k] = sums[k]! + addends[k]!;
  }
}

function slot({ buffer, parameters, dtype }: GradientExchange, replica: number): Floats {
  return dtype === "float64"
    ? new Float64Array(buffer, 8 * parameters * replica, parameters)
    : new Float32Array(buffer, 4 * parameters * replica, parameters);
}
