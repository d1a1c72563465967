import type { ValueModel, ValueModelOptions } from "./engine.ts";

/** What a run opens for a value that computes with a model. */
export interface ModelResources {
  /**
   * A model with a scalar head, and how texts become its tokens: layers of its own, by the name that configurations give models; or a
   * head on the layers of the policy that the value is for.
   * @throws LaconicError `model_unsupported` on an engine without scalar heads
   */
  openValueModel(
    layers: string | { readonly of: "policy" },
    options?: ValueModelOptions,
  ): Promise<{ readonly model: ValueModel; readonly encode: (text: string) => readonly number[] }>;
}
