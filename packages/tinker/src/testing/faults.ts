import { LaconicError } from "@laconic/core";

/** What the test server does to a request instead of serving it well. */
export type Fault =
  /** Answers with this status; nothing is done. */
  | { readonly kind: "status"; readonly status: number; readonly text?: string }
  /** Closes the connection; nothing is done. */
  | { readonly kind: "drop" }
  /** Does it, then closes the connection: the caller cannot know. */
  | { readonly kind: "drop-after" }
  /** Does it, and answers with what is no JSON. */
  | { readonly kind: "garbage" }
  /** The promised result never comes. */
  | { readonly kind: "never" }
  /** Every log-prob of the result is null. */
  | { readonly kind: "not-finite" }
  /** Log-probs of the result, of a pass or of samples, are those of other weights. */
  | { readonly kind: "other-weights" }
  /** The reply is about a model of another name. */
  | { readonly kind: "other-model" }
  /** Does it after so many milliseconds. */
  | { readonly kind: "slow"; readonly ms: number }
  /** The result is a failure of this category. */
  | { readonly kind: "fails"; readonly category: "user" | "server" };

/** Chooses what happens to a request: `count` is how many of this path came before. */
export type FaultInjector = (path: string, count: number) => Fault | null;

/** A result as a fault leaves it. */
export function mar(value: unknown, fault: Fault | null): unknown {
  if (fault?.kind !== "not-finite" && fault?.kind !== "other-weights") return value;
  const pass = value as { loss_fn_outputs?: { logprobs: { data: number[] } }[]; sequences?: { logprobs: number[] }[] };
  if (pass.sequences)
    return {
      ...pass,
      sequences: pass.sequences.map((each) => ({ ...each, logprobs: each.logprobs.map((x) => x - 1) })),
    };
  if (!pass.loss_fn_outputs) throw new LaconicError("input_invalid", `${fault.kind} is a fault of passes and samples`);
  return {
    ...pass,
    loss_fn_outputs: pass.loss_fn_outputs.map(({ logprobs }) => ({
      logprobs: { ...logprobs, data: logprobs.data.map((x) => (fault.kind === "not-finite" ? null : x - 0.5)) },
    })),
  };
}
