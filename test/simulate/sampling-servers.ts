import { readFile, writeFile } from "node:fs/promises";
import type { BaseSource, Engine, ModelSource, Random, TrainableModel } from "../../packages/core/src/index.ts";
import { sglangRoutes } from "../../packages/fleet/src/testing/fake-sglang.ts";
import { vllmRoutes } from "../../packages/fleet/src/testing/fake-vllm.ts";
import type { Lie } from "../../packages/fleet/src/testing/faults.ts";
import { isReplyRequest } from "../../packages/fleet/src/testing/lies.ts";
import { ServedWeights } from "../../packages/fleet/src/testing/served-weights.ts";
import { tabularModel, tinyTokenizer } from "../../packages/trainer/src/testing/index.ts";
import type { Answer, Asked, Service } from "./network.ts";
import type { World } from "./world.ts";

/** Which API a fleet's servers speak. */
export type ServerKind = "vllm" | "sglang";

const { vocabularySize } = tinyTokenizer;
const base: BaseSource = { kind: "folder", path: "base" };
const routes = { vllm: vllmRoutes, sglang: sglangRoutes } as const;
/** Milliseconds that a server is away when it restarts, at most: longer than a fleet's patience. */
const maxAwayMs = 900_000;

/**
 * What servers do to replies once they lie. Not among them: replies to other prompts, and even draws with their true log-probs. A table
 * with few tokens makes both as likely as right ones.
 */
const lies: readonly (Lie | "stale")[] = ["wrong-ids", "permuted", "wrong-log-probs", "truncated", "stale"];

/** A table of logits of which servers can be told: fresh weights prefer some tokens, and are saved under an adapter's name as well. */
export function servedTable(): TrainableModel {
  const model = tabularModel({ vocabularySize, spread: 1, seed: "served" });
  const save = model.save.bind(model);
  return Object.assign(model, {
    save: async (folder: string): Promise<readonly string[]> => {
      const [file] = (await save(folder)) as [string];
      await writeFile(`${folder}/adapter_model.safetensors`, await readFile(`${folder}/${file}`));
      return [file, "adapter_model.safetensors"];
    },
  });
}

/** What servers compute with: tables that they read from the trainer's disk. */
const engine: Pick<Engine, "createModel"> = {
  async createModel(source: ModelSource) {
    const model = servedTable();
    if (source.kind === "adapter-folder") await model.load(source.path);
    return model;
  },
};

/** An inference server that takes adapters. */
export class SamplingServer implements Service {
  readonly #world: World;
  readonly #random: Random;
  readonly #kind: ServerKind;
  #weights = new ServedWeights({ engine: engine as Engine, base });
  #awayUntil = 0;
  #lie: (typeof lies)[number] | null = null;

  constructor(world: World, kind: ServerKind, random: Random) {
    [this.#world, this.#kind, this.#random] = [world, kind, random];
  }

  isUp(): boolean {
    return this.#world.now >= this.#awayUntil;
  }

  restart(): void {
    this.#awayUntil = this.#world.now + this.#random.uniform() * maxAwayMs;
    this.repair();
  }

  /** It is honest, and holds its base model alone. */
  repair(): void {
    this.#lie = null;
    this.#weights = new ServedWeights({ engine: engine as Engine, base });
  }

  /** From a lie on it lies in all replies, until it restarts. */
  async answer({ path, body }: Asked, { isLie = false }: { readonly isLie?: boolean } = {}): Promise<Answer> {
    const asked = JSON.parse(body || "{}") as Readonly<Record<string, unknown>>;
    if (isLie) this.#lie = lies[this.#random.integer(lies.length)] as Lie;
    const how = isReplyRequest(path, asked) ? this.#lie : null;
    const fault = how === "stale" ? ({ kind: how } as const) : how && ({ kind: "lies", how, vocabularySize } as const);
    const answer = routes[this.#kind](this.#weights, { engine: engine as Engine, base });
    try {
      const { status, value } = await answer(path, asked, fault);
      return { status, text: JSON.stringify(value) };
    } catch (error) {
      return { status: 500, text: JSON.stringify({ error: { message: String(error) } }) };
    }
  }
}
