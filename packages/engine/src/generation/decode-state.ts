import { kernelSampling } from "@laconic/core/backends";
import { packSampling, tensorsIn } from "../kernels/index.ts";
import type { CachePlan, KeyValueCache, SamplingKind, Tensor } from "../kernels/index.ts";
import { cachePlan, forwardNext } from "../transformer/forward-cached.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { extendDrawn, readDrawn, sampleAndLikeliest, settingsOf, type DrawnTokens } from "./draw.ts";
import type { Reply } from "./reply.ts";

const ahead = 64;

export interface RowPages {
  /** [B * width] */
  readonly table: Int32Array;
  readonly width: number;
}

interface OnDevice {
  /** int32 [B]. */
  tokens: Tensor;
  /** [B, columns of `kernelSampling`] */
  readonly settings: Tensor;
  /** [B, uniformsAhead] */
  readonly uniforms: Tensor;
}

/**
 * Decoding rows on the device. Unchanged rows upload only new pages and, every 64 steps, 64 uniform numbers. Steps
 * are enqueued without waiting.
 */
export class DecodeState {
  readonly #model: ModelOnDevice;
  #replies: readonly Reply[] = [];
  #held: OnDevice | null = null;
  #kind: SamplingKind | null = null;
  #plan: CachePlan | null = null;
  #column = 0;

  constructor(model: ModelOnDevice) {
    this.#model = model;
  }

  /** Enqueues one step. @returns tokens for {@link take} */
  step(replies: readonly Reply[], caches: readonly KeyValueCache[], pages: RowPages): Promise<DrawnTokens> {
    const { kernels } = this.#model;
    const same = replies.length === this.#replies.length && replies.every((reply, i) => reply === this.#replies[i]);
    if (!same) this.#arrange(replies);
    else if (this.#column === ahead) this.#refill();
    this.#follow(pages, same);
    const { tokens, settings, uniforms } = this.#held!;
    const plan = this.#plan!;
    const drawn = kernels.scope(() => {
      const logits = forwardNext(this.#model, tokens, caches, plan);
      const rows = { settings, uniforms, column: this.#column, kind: this.#kind! };
      return sampleAndLikeliest(kernels, logits, rows, replies);
    });
    kernels.free(tokens);
    this.#held!.tokens = kernels.keep(drawn.sampled.tokens);
    for (const reply of replies) reply.ahead += 1;
    this.#column += 1;
    kernels.advance(plan.pastOnDevice, 1);
    plan.past.forEach((past, row) => (plan.past[row] = past + 1));
    return readDrawn(kernels, drawn, replies, { keepTokens: true });
  }

  /** Adds a step's tokens to the replies, except after an end. */
  take(drawn: DrawnTokens): void {
    for (const reply of drawn.replies) reply.ahead -= 1;
    extendDrawn(drawn);
  }

  free(): void {
    const { kernels } = this.#model;
    if (this.#held) kernels.free(...tensorsIn({ ...this.#held }));
    if (this.#plan) kernels.free(...tensorsIn(this.#plan));
    [this.#held, this.#plan, this.#replies, this.#column] = [null, null, [], 0];
  }

  #arrange(replies: readonly Reply[]): void {
    const { kernels } = this.#model;
    if (!replies.some((reply) => this.#replies.includes(reply))) this.free();
    // The common column may be used up.
    else if (this.#column === ahead) this.#refill();
    const places = new Map(this.#replies.map((reply, row) => [reply, row]));
    const { settings, kind } = packSampling(settingsOf(replies));
    const width = kernelSampling.length;
    const joining = Array.from(replies.keys()).filter((row) => !places.has(replies[row]!));
    const old = this.#held;
    this.#held = kernels.scope(() => {
      const joined = this.#upload(
        joining.map((row) => replies[row]!),
        Float32Array.from(joining.flatMap((row) => Array.from(settings.subarray(width * row, width * (row + 1))))),
      );
      const next = old === null ? joined : this.#merged(old, joined, replies, places, joining);
      for (const tensor of tensorsIn({ ...next })) kernels.keep(tensor);
      return next;
    });
    if (old) kernels.free(...tensorsIn({ ...old }));
    [this.#replies, this.#kind] = [[...replies], kind];
  }

  #merged(
    old: OnDevice,
    joined: OnDevice,
    replies: readonly Reply[],
    places: ReadonlyMap<Reply, number>,
    joining: readonly number[],
  ): OnDevice {
    const { kernels } = this.#model;
    const ints = (values: readonly number[]): Tensor => kernels.upload(Int32Array.from(values), [values.length]);
    // New rows get an arbitrary source first.
    const from = ints(replies.map((reply) => places.get(reply) ?? 0));
    const tensor = ints(joining);
    const merge = (retained: Tensor, added: Tensor): Tensor => {
      const picked = kernels.pickRows(retained, from);
      if (joining.length > 0) kernels.writeRows(picked, tensor, added);
      return picked;
    };
    return {
      tokens: merge(old.tokens, joined.tokens),
      settings: merge(old.settings, joined.settings),
      uniforms: merge(old.uniforms, joined.uniforms),
    };
  }

  #upload(replies: readonly Reply[], settings: Float32Array): OnDevice {
    const { kernels } = this.#model;
    const count = replies.length;
    const newest = Int32Array.from(replies, ({ tokens }) => tokens.at(-1)!);
    return {
      tokens: kernels.upload(newest, [count]),
      settings: kernels.upload(settings, [count, kernelSampling.length], "full"),
      uniforms: this.#uploadUniforms(replies),
    };
  }

  #uploadUniforms(replies: readonly Reply[]): Tensor {
    const values = new Float32Array(replies.length * ahead);
    replies.forEach((reply, row) => {
      const next = reply.tokens.length + reply.ahead;
      for (let column = this.#column; column < ahead; column++)
        values[row * ahead + column] = reply.uniforms.at(next + column - this.#column);
    });
    return this.#model.kernels.upload(values, [replies.length, ahead], "full");
  }

  #refill(): void {
    const { kernels } = this.#model;
    this.#column = 0;
    const held = this.#held!;
    const uniforms = kernels.keep(this.#uploadUniforms(this.#replies));
    kernels.free(held.uniforms);
    this.#held = { ...held, uniforms };
  }

  #follow({ table, width }: RowPages, same: boolean): void {
    const { kernels } = this.#model;
    const plan = this.#plan;
    if (same && plan && plan.table.length === table.length) {
      const changed = changedRows(plan.table, table, width);
      if (changed.length === 0) return;
      plan.table.set(table);
      kernels.scope(() => {
        const rows = Int32Array.from(
          changed.flatMap((row) => Array.from(table.subarray(row * width, (row + 1) * width))),
        );
        const tensor = kernels.upload(Int32Array.from(changed), [changed.length]);
        kernels.writeRows(plan.tableOnDevice, tensor, kernels.upload(rows, [changed.length, width]));
      });
      return;
    }
    if (plan) kernels.free(...tensorsIn(plan));
    this.#plan = null;
    const count = this.#replies.length;
    const past = Int32Array.from(this.#replies, ({ held }) => held);
    const offsets = Int32Array.from({ length: count + 1 }, (_, row) => row);
    this.#plan = kernels.scope(() => {
      const made = cachePlan(kernels, { table, width }, past, offsets);
      for (const tensor of tensorsIn(made)) kernels.keep(tensor);
      return made;
    });
  }
}

/** A plain loop, because it runs for every token. */
function changedRows(before: Int32Array, now: Int32Array, width: number): number[] {
  const changed: number[] = [];
  for (let i = 0; i < now.length; i++) {
    const row = Math.floor(i / width);
    if (now[i] !== before[i] && changed.at(-1) !== row) changed.push(row);
  }
  return changed;
}
