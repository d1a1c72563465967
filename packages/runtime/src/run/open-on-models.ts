import {
  LaconicError,
  type Engine,
  type ModelResources,
  type ChatTokenizer,
  type Tokenizer,
  type ValueModelOptions,
  type ValueSource,
} from "@laconic/core";
import { estimatorValue, isValueSource, type TrainConfig, type TrainedPolicy } from "@laconic/trainer";
import { policyTokenizer } from "../models/policy-tokenizer.ts";
import type { AppConfig } from "./run-settings.ts";

interface ModelPlace {
  readonly engine: Engine;
  readonly openModel: (model: string) => Promise<string>;
  readonly templateArguments: AppConfig["chatTemplateArguments"];
  /** Receives the folders of opened models. */
  readonly valueModels?: Map<string, string>;
}

type PolicyTokenizer = Tokenizer | ChatTokenizer;

/** Opens estimators with a model on the run's engine; each policy has a separate trainable one. */
export async function openEstimators(
  train: TrainConfig,
  policies: Readonly<Record<string, Pick<TrainedPolicy, "model">>>,
  place: ModelPlace & { readonly tokenizers: Readonly<Record<string, PolicyTokenizer>> },
): Promise<TrainConfig> {
  const settings: Record<string, TrainConfig["policies"][string]> = { ...train.policies };
  for (const [name, { model }] of Object.entries(policies)) {
    const estimator = estimatorValue(train, name);
    const own = { policy: model, tokenizer: place.tokenizers[name] as PolicyTokenizer };
    if (estimator?.open)
      settings[name] = { ...settings[name], advantage: await estimator.open(resourcesOf(place, own)) };
  }
  return { ...train, policies: settings };
}

/** Opens a reward with a model. Throws as {@link openEstimators} does. */
export async function openReward(train: TrainConfig, place: ModelPlace): Promise<TrainConfig> {
  const { reward } = train;
  if (!reward || isValueSource(reward) || !reward.open) return train;
  return { ...train, reward: await reward.open(resourcesOf(place, null)) };
}

function resourcesOf(
  { engine, openModel, templateArguments, valueModels }: ModelPlace,
  own: { readonly policy: TrainedPolicy["model"]; readonly tokenizer: PolicyTokenizer } | null,
): ModelResources {
  return {
    async openValueModel(layers, options) {
      if (typeof layers === "string") {
        const path = await openModel(layers);
        valueModels?.set(layers, path);
        return opened(engine, { kind: "folder", path }, options, await policyTokenizer(path, templateArguments));
      }
      if (own) return opened(engine, { kind: "trunk", policy: own.policy }, options, own.tokenizer);
      throw new LaconicError(
        "config_invalid",
        "a reward is no policy's, so that it has no layers of one; name a model",
      );
    },
  };
}

async function opened(
  engine: Engine,
  source: ValueSource,
  options: ValueModelOptions | undefined,
  tokenizer: PolicyTokenizer,
): ReturnType<ModelResources["openValueModel"]> {
  return { model: await engine.createValueModel(source, options), encode: (text) => tokenizer.encode(text) };
}
