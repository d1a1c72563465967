import { inputError } from "@laconic/core";

/** Fault of the test server for one request. */
export type Fault =
  | { readonly kind: "status"; readonly status: number; readonly text?: string }
  | { readonly kind: "drop" }
  | { readonly kind: "drop-after" }
  | { readonly kind: "garbage" }
  /** The promised result never arrives. */
  | { readonly kind: "never" }
  /** All log-probs of the result are null. */
  | { readonly kind: "not-finite" }
  /** Log-probs of the result belong to other weights. */
  | { readonly kind: "other-weights" }
  /** The reply names another model. */
  | { readonly kind: "other-model" }
  /** Does it after this many milliseconds. */
  | { readonly kind: "slow"; readonly ms: number }
  /** The result is a failure of this category. */
  | { readonly kind: "fails"; readonly category: "user" | "server" };

/** Chooses the fault of a request; `count` is the number of earlier requests to this path. */
export type FaultInjector = (path: string, count: number) => Fault | null;

export function mar(value: unknown, fault: Fault | null): unknown {
  if (fault?.kind !== "not-finite" && fault?.kind !== "other-weights") return value;
  const pass = value as { loss_fn_outputs?: { logprobs: { data: number[] } }[]; sequences?: { logprobs: number[] }[] };
  if (pass.sequences)
    return {
      ...pass,
      sequences: pass.sequences.map((sequence) => ({ ...sequence, logprobs: sequence.logprobs.map((x) => x - 1) })),
    };
  if (!pass.loss_fn_outputs) throw inputError(`${fault.kind} is for passes and samples only`);
  return {
    ...pass,
    loss_fn_outputs: pass.loss_fn_outputs.map(({ logprobs }) => ({
      logprobs: { ...logprobs, data: logprobs.data.map((x) => (fault.kind === "not-finite" ? null : x - 0.5)) },
    })),
  };
}
