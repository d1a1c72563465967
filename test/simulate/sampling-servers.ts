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

export type ServerKind = "vllm" | "sglang";

const { vocabularySize } = tinyTokenizer;
const base: BaseSource = { kind: "folder", path: "base" };
const routes = { vllm: vllmRoutes, sglang: sglangRoutes } as const;
/** Max milliseconds of a restart: longer than a fleet's timeout. */
export const maxAwayMs = 900_000;
export const receivedRoot: string = `${diskRoot}/received`;

/**
 * Kinds of wrong replies. Excluded: replies to other prompts and uniform draws with true log-probs, which are as likely
 * as right ones in a table with few tokens.
 */
const lies: readonly (Lie | "stale")[] = ["wrong-ids", "permuted", "wrong-log-probs", "truncated", "stale"];

/** Table of logits for servers: distinct initial weights, also saved under an adapter's name. */
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

const engineOf = (world: World): Pick<Engine, "createModel"> => ({
  async createModel(source: ModelSource) {
    const model = servedTable();
    if (source.kind !== "adapter-folder") return model;
    if (source.path.startsWith(receivedRoot)) expectNamed(world, source.path);
    await model.load(source.path);
    return model;
  },
});

/** Checks that a received version's weights match the hash in its name. */
export function expectNamed(world: World, path: string): void {
  if (!world.disk.find(path)) return; // the request was late, and the version is deleted
  const weights = [...filesOf(world.disk, path)].filter(([name]) => name.endsWith(".safetensors"));
  const hash = createHash("sha256");
  for (const [, bytes] of weights) hash.update(bytes);
  const match = hash.digest("hex").slice(0, 12);
  if (!path.includes(`-${match}-`)) world.violate(`${path} is shown, and its weights are ${match}`);
}

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

  start(): void {
    this.#awayUntil = 0;
  }

  /** Resets it: correct replies, only the base model. */
  repair(): void {
    this.#lie = null;
    this.#weights = new ServedWeights({ engine: this.#engine, base });
  }

  /** After the first lie all replies are wrong, until a restart. */
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
