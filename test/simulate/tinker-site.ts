import type { Engine, ModelSource, Random, TrainableModel } from "../../packages/core/src/index.ts";
import type { ServerRecord } from "../../packages/tinker/src/engine/server-record.ts";
import { createTinkerService, type TinkerService } from "../../packages/tinker/src/testing/tinker-service.ts";
import { tabularModel, tinyTokenizer } from "../../packages/trainer/src/testing/index.ts";
import { diskRoot } from "./disk.ts";
import type { Answer, Asked, Service } from "./network.ts";
import type { World } from "./world.ts";

/** Checkpoint folder of the server, on a separate disk without losses. */
export const checkpointFolder: string = `${diskRoot}/server`;
/** Max milliseconds of a restart. */
const maxAwayMs = 60_000;

/** Record of a Tinker server, as a probe finds it. @param deduplicates - whether it runs a repeated number once */
export function recordOf(deduplicates: boolean): ServerRecord {
  return {
    baseModel: "tiny",
    contextLength: 48,
    reduction: { sequences: "sum", positions: "sum" },
    deduplicates,
    promptLogProbs: "null-first",
    sampledAt: "sampling",
    samplers: "frozen",
    gradNorm: "grad_norm",
    optimizer: "asked",
    clips: true,
    clipsItself: false,
    severalModels: true,
  };
}

/** Its models are tables of logits. */
export class TinkerSite implements Service {
  readonly #world: World;
  readonly #random: Random;
  readonly #service: TinkerService;
  readonly #deduplicates: boolean;
  #awayUntil = 0;

  constructor(world: World, random: Random, deduplicates: boolean) {
    [this.#world, this.#random, this.#deduplicates] = [world, random, deduplicates];
    world.disk.makeFolder(checkpointFolder, true);
    const engine: Pick<Engine, "createModel"> = { createModel: (source) => this.#modelOf(source) };
    this.#service = createTinkerService({
      engine: engine as Engine,
      bases: { tiny: { kind: "folder", path: "tiny" } },
      folder: checkpointFolder,
      as: recordOf(deduplicates),
      sleep: (ms) => new Promise((resolve) => world.elsewhere(ms, "a poll is held", () => resolve(undefined))),
    });
  }

  get log(): TinkerService["log"] {
    return this.#service.log;
  }

  isUp(): boolean {
    return this.#world.now >= this.#awayUntil;
  }

  restart(): void {
    this.#awayUntil = this.#world.now + this.#random.uniform() * maxAwayMs;
    this.#service.forget();
  }

  async answer({ path, body }: Asked, { isRepeated = false }: { readonly isRepeated?: boolean } = {}): Promise<Answer> {
    // No proxy repeats requests to a server without deduplication.
    if (isRepeated && !this.#deduplicates) return { status: 200, text: "" };
    const asked = { path: path.replace("/api/v1/", ""), body: body === "" ? null : (JSON.parse(body) as unknown) };
    const answer = await this.#service.answer({ ...asked, accept: null });
    return { status: answer?.status ?? 500, text: JSON.stringify(answer?.value) };
  }

  async #modelOf(source: ModelSource): Promise<TrainableModel> {
    const seed = source.kind === "adapter" ? source.seed : 0;
    const model = tabularModel({ vocabularySize: tinyTokenizer.vocabularySize, spread: 1, seed });
    const save = model.save.bind(model);
    return Object.assign(model, {
      save: async (folder: string): Promise<readonly string[]> => {
        const files = await save(folder);
        const { disk } = this.#world;
        for (const file of files) disk.sync(disk.file(`${folder}/${file}`));
        for (const text of [folder, checkpointFolder, diskRoot]) disk.sync(disk.folder(text));
        return files;
      },
    });
  }
}
