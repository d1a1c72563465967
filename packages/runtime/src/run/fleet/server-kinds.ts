import type { LoraSettings } from "@laconic/core";

/** A kind of servers to sample on, as settings, checks and plans need it; `open-fleet.ts` says how one is asked. */
export interface ServerKind {
  /** As people call it. */
  readonly title: string;
  /** Holds a version of all weights, not adapters alone. */
  readonly takesAllWeights: boolean;
  /** Its log-probs are of the whole distribution where a parameter of sampling cuts it. */
  readonly reportsUncut: boolean;
  /**
   * The command that starts one.
   * @param versions - that it has to hold at once
   */
  start(lora: LoraSettings | null, versions: number): string;
}

/** Name of a kind, in the setting `sampler` and in what a run records. */
export type ServerKindName = "vllm" | "sglang";

/** Every kind. */
export const serverKinds: Readonly<Record<ServerKindName, ServerKind>> = {
  vllm: {
    title: "vLLM",
    takesAllWeights: false,
    reportsUncut: false,
    start: (lora, versions) =>
      `VLLM_ALLOW_RUNTIME_LORA_UPDATING=True vllm serve MODEL --enable-lora --max-lora-rank ${lora?.rank} --max-loras ${versions} --max-cpu-loras ${2 * versions} --logprobs-mode processed_logprobs`,
  },
  sglang: {
    title: "SGLang",
    takesAllWeights: true,
    reportsUncut: true,
    start: (lora, versions) =>
      `python -m sglang.launch_server --model-path MODEL${lora ? ` --enable-lora --max-lora-rank ${lora.rank} --max-loras-per-batch ${versions} --max-loaded-loras ${2 * versions}` : ""}`,
  },
};

/** Every name, in the order of {@link serverKinds}. */
export const serverKindNames: readonly ServerKindName[] = Object.keys(serverKinds) as ServerKindName[];
