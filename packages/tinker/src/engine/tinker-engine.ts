import {
  checkShape,
  configError,
  type Engine,
  LaconicError,
  type LoraSettings,
  loraShape,
  type ModelSource,
  randomFromSeed,
  type TrainableModel,
} from "@laconic/core";
import { optionCheck } from "@laconic/core/checks";
import type { TinkerEngineOptions } from "./engine-options.ts";
import { readSavedModel, type SavedModel } from "./saved-model.ts";
import type { ServerRecord } from "./server-record.ts";
import { TinkerModel } from "./tinker-model.ts";

const checkOptions = optionCheck<TinkerEngineOptions>()(
  "tinkerEngine",
  "client record vocabularySize contextLength loraAlpha sequencesPerRequest samplerTtlSeconds gradientCeiling",
);

/**
 * Trains and samples on a server of the Tinker protocol, with any loss. The local gradient is sent as advantages of
 * `importance_sampling` at a ratio of exactly 1. Models are adapters: `{ kind: "adapter", base: { kind: "folder",
 * path: "the server's model name" }, lora, seed }`, or a folder of `save`. Entropies are estimates, log-probs are at
 * temperature 1, and `maxGradNorm` is Infinity if the server does not clip.
 */
export function tinkerEngine(options: TinkerEngineOptions): Engine {
  checkOptions(options);
  const { client, record } = options;
  const models = new Set<TinkerModel>();
  return {
    capabilities: {
      kind: "remote",
      device: client.transport.base,
      backend: "tinker",
      dtype: "bfloat16",
      deterministic: false,
      batchInvariant: false,
      workers: 1,
      scalarHeads: false,
    },
    async createModel(source: ModelSource, { signal } = {}) {
      const settings = { options, onDispose: (model: TinkerModel) => models.delete(model) };
      const create = async (rank: number, seed: number, path: string | null): Promise<TrainableModel> => {
        const trained = await client.createModel({ baseModel: record.baseModel, rank, seed }, signal);
        if (path !== null) await trained.load(path, { optimizer: false }, signal);
        const model = new TinkerModel(trained, { rank, seed }, 0, settings);
        models.add(model);
        return model;
      };
      if (source.kind === "adapter") {
        const rank = checkedRank(source.lora, options);
        expectBase(source.base.kind === "folder" ? source.base.path : null, record);
        return create(rank, randomFromSeed(source.seed).integer(2 ** 31 - 1), null);
      }
      if (source.kind !== "adapter-folder")
        throw new LaconicError(
          "model_unsupported",
          `a Tinker server trains only adapters of its own models; use { kind: "adapter", base: { kind: "folder", path: "${record.baseModel}" }, lora, seed }`,
          { kind: source.kind },
        );
      const saved: SavedModel = await readSavedModel(source.path);
      expectBase(saved.baseModel, record);
      return create(saved.rank, saved.seed, saved.path);
    },
    async createValueModel() {
      throw new LaconicError(
        "model_unsupported",
        `${client.transport.base}: the Tinker protocol has no models with a scalar head; use a local engine for a critic or reward model`,
      );
    },
    async close() {
      await Promise.all([...models].map((model) => model.dispose()));
      client.close();
    },
  };
}

function expectBase(base: string | null, { baseModel }: ServerRecord): void {
  if (base === baseModel) return;
  const reason = `the server was probed for ${baseModel}, not for ${base ?? "this base"}`;
  throw new LaconicError("model_unsupported", reason, { baseModel });
}

function checkedRank(lora: LoraSettings, { loraAlpha = 32 }: TinkerEngineOptions): number {
  const refuse = (key: string, reason: string): LaconicError => configError(`lora.${key}: ${reason}`, { key });
  checkShape(loraShape, lora, "lora");
  if (lora.alpha !== loraAlpha)
    throw refuse("alpha", `expected ${loraAlpha}, the server's fixed value, got ${lora.alpha}`);
  if (lora.targets !== undefined) throw refuse("targets", "the server chooses the projections; remove it");
  const { rank, alpha: _, targets: __, ...others } = lora;
  const [key] = Object.entries(others).find(([, value]) => value !== 0 && value !== false) ?? [];
  if (key !== undefined) throw refuse(key, "not supported by this protocol; remove it");
  return rank;
}
