import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import type { BaseSource, Engine, ModelSource, Random, TrainableModel } from "../../packages/core/src/index.ts";
import { sglangRoutes } from "../../packages/openai/src/testing/fake-sglang.ts";
import { vllmRoutes } from "../../packages/openai/src/testing/fake-vllm.ts";
import type { Lie } from "../../packages/openai/src/testing/faults.ts";
import { isReplyRequest } from "../../packages/openai/src/testing/lies.ts";
import { ServedWeights } from "../../packages/openai/src/testing/served-weights.ts";
import { tabularModel, tinyTokenizer } from "../../packages/trainer/src/testing/index.ts";
import type { Answer, Asked, Service } from "./network.ts";
import { diskRoot } from "./disk.ts";
import { filesOf } from "./scenario.ts";
import type { World } from "./world.ts";

/** Which API a fleet's servers speak. */
export type ServerKind = "vllm" | "sglang";

const { vocabularySize } = tinyTokenizer;
const base: BaseSource = { kind: "folder", path: "base" };
const routes = { vllm: vllmRoutes, sglang: sglangRoutes } as const;
/** Milliseconds that a server is away when it restarts, at most: longer than a fleet's patience. */
export const maxAwayMs = 900_000;
/** Where receivers beside servers keep weights. */
export const receivedRoot: string = `${diskRoot}/received`;

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

/** What servers compute with: tables that they read from the disk. */
const engineOf = (world: World): Pick<Engine, "createModel"> => ({
  async createModel(source: ModelSource) {
    const model = servedTable();
    if (source.kind !== "adapter-folder") return model;
    if (source.path.startsWith(receivedRoot)) expectNamed(world, source.path);
    await model.load(source.path);
    return model;
  },
});

/** A received version's weights are those that its name tells, by their hash. */
export function expectNamed(world: World, path: string): void {
  if (!world.disk.find(path)) return; // the request was late, and the version is gone
  const weights = [...filesOf(world.disk, path)].filter(([name]) => name.endsWith(".safetensors"));
  const hash = createHash("sha256");
  for (const [, bytes] of weights) hash.update(bytes);
  const found = hash.digest("hex").slice(0, 12);
  if (!path.includes(`-${found}-`)) world.violate(`${path} is shown, and its weights are ${found}`);
}

/** An inference server that takes adapters. */
export class SamplingServer implements Service {
  readonly #world: World;
  readonly #random: Random;
  readonly #kind: ServerKind;
  readonly #engine: Engine;
  #weights: ServedWeights;
  #awayUntil = 0;
  #lie: (typeof lies)[number] | null = null;

  constructor(world: World, kind: ServerKind, random: Random) {
    [this.#world, this.#kind, this.#random] = [world, kind, random];
    this.#engine = engineOf(world) as Engine;
    this.#weights = new ServedWeights({ engine: this.#engine, base });
  }

  isUp(): boolean {
    return this.#world.now >= this.#awayUntil;
  }

  restart(): void {
    this.#awayUntil = this.#world.now + this.#random.uniform() * maxAwayMs;
    this.repair();
  }

  /** Somebody does not wait for it. */
  start(): void {
    this.#awayUntil = 0;
  }

  /** It is honest, and holds its base model alone. */
  repair(): void {
    this.#lie = null;
    this.#weights = new ServedWeights({ engine: this.#engine, base });
  }

  /** From a lie on it lies in all replies, until it restarts. */
  async answer({ path, body }: Asked, { isLie = false }: { readonly isLie?: boolean } = {}): Promise<Answer> {
    const asked = JSON.parse(body || "{}") as Readonly<Record<string, unknown>>;
    if (isLie) this.#lie = lies[this.#random.integer(lies.length)] as Lie;
    const how = isReplyRequest(path, asked) ? this.#lie : null;
    const fault = how === "stale" ? ({ kind: how } as const) : how && ({ kind: "lies", how, vocabularySize } as const);
    const answer = routes[this.#kind](this.#weights, { engine: this.#engine, base });
    try {
      const { status, value } = await answer(path, asked, fault);
      return { status, text: JSON.stringify(value) };
    } catch (error) {
      return { status: 500, text: JSON.stringify({ error: { message: String(error) } }) };
    }
  }
}
