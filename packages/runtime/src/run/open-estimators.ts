import type { Engine, ModelResources } from "@laconic/core";
import type { TrainingParts } from "@laconic/trainer";
import { policyTokenizer } from "../models/policy-tokenizer.ts";
import type { OpenedParts, RunResources } from "./open-parts.ts";
import type { AppConfig } from "./run-settings.ts";

/** What estimators are opened with. */
interface EstimatorPlace extends Pick<OpenedParts, "engine" | "tokenizers">, Pick<RunResources, "openModel"> {
  readonly templateArguments: AppConfig["chatTemplateArguments"];
}

/**
 * Opens estimators that compute with a model, on the run's engine. Each policy gets one of its own, whose weights learn beside it.
 * @throws LaconicError `model_unsupported` on an engine without scalar heads, and what opening a model throws
 */
export async function openEstimators(parts: TrainingParts, place: EstimatorPlace): Promise<TrainingParts> {
  const policies: Record<string, TrainingParts["policies"][string]> = {};
  for (const [name, policy] of Object.entries(parts.policies)) {
    const estimator = policy.estimator ?? parts.estimator;
    const open = typeof estimator === "object" ? estimator.open : undefined;
    policies[name] = open
      ? { ...policy, estimator: await open.call(estimator, resourcesOf(parts, name, place)) }
      : policy;
  }
  return { ...parts, policies };
}

function resourcesOf(
  { policies }: TrainingParts,
  name: string,
  { engine, tokenizers, openModel, templateArguments }: EstimatorPlace,
): ModelResources {
  return {
    async openValueModel(layers, options) {
      if (typeof layers !== "string") {
        const { model: policy } = policies[name] as TrainingParts["policies"][string];
        return opened(engine, { kind: "trunk", policy }, options, tokenizers[name] as Encoder);
      }
      const path = await openModel(layers);
      return opened(engine, { kind: "folder", path }, options, await policyTokenizer(path, templateArguments));
    },
  };
}

type Encoder = OpenedParts["tokenizers"][string];

async function opened(
  engine: Engine,
  source: Parameters<Engine["createValueModel"]>[0],
  options: Parameters<Engine["createValueModel"]>[1],
  tokenizer: Encoder,
): ReturnType<ModelResources["openValueModel"]> {
  return { model: await engine.createValueModel(source, options), encode: (text) => tokenizer.encode(text) };
}
