import { release } from "node:os";

export interface Machine {
  readonly platform: string;
  readonly arch: string;
  /** Kernel release: Darwin's on macOS, 23 for macOS 14. */
  readonly release: string;
}

/** First Darwin release with bfloat16 in Metal (macOS 14). */
const firstBfloat16 = 23;

/** Reason why PyTorch's MPS cannot compute in a type; null if it can. */
export function mpsRefusal(
  dtype: "float32" | "bfloat16",
  { platform, arch, release: version }: Machine = { ...process, release: release() },
): string | null {
  if (platform !== "darwin" || arch !== "arm64")
    return `device mps needs macOS on Apple silicon, and this is ${platform} on ${arch}`;
  if (dtype === "bfloat16" && !(Number.parseInt(version, 10) >= firstBfloat16))
    return `bfloat16 on mps needs macOS 14 or newer (Darwin ${firstBfloat16}), and this is Darwin ${version}; take float32`;
  return null;
}
