import { LaconicError } from "@laconic/core";

/** What of a WebGPU adapter is used here. */
export interface Adapter {
  readonly info: Readonly<Record<"vendor" | "architecture" | "description", string>> & {
    /** Computes on the CPU. */
    readonly isFallbackAdapter?: boolean;
  };
}

/** What of WebGPU's entry point is used here. */
export interface Gpu {
  requestAdapter(): Promise<Adapter | null>;
}

/** A GPU that this process holds. */
export interface OpenGpu {
  readonly adapter: string;
  /** Lets the process end: it lives as long as the GPU is held. */
  close(): void;
}

export function adapterName({ info: { vendor, architecture, description } }: Adapter): string {
  return [vendor, architecture, description].filter((text) => text !== "").join(" ");
}

export function missing(reason: string): LaconicError {
  return new LaconicError("device_unavailable", reason, { device: "webgpu" });
}
