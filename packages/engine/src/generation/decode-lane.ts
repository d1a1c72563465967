import { packSampling, tensorsIn, type KeyValueCache, type SamplingKind, type Tensor } from "../kernels/index.ts";
import { kernelSampling } from "@laconic/core/backends";
import { forwardNext } from "../transformer/forward-cached.ts";
import type { LikeliestPiece } from "../transformer/likeliest-tokens.ts";
import type { ModelOnDevice } from "../transformer/model-on-device.ts";
import { sequenceLayout } from "../transformer/packed-batch.ts";
import type { RowPages } from "./decode-state.ts";
import { settingsOf } from "./draw.ts";
import type { Reply } from "./reply.ts";

/** Uniform numbers of one row on the device: its own next ones. */
const uniformsAhead = 64;

/**
 * A fixed number of rows that decode together, in tensors that stay where they are: whoever comes is written into them.
 * Rows without a reply of their own do what another row does, bit for bit, and write the same to the same place.
 */
export class DecodeLane {
  readonly rows: number;
  /** Pages of a row in the block table. */
  readonly width: number;
  /** Newest token of each row, int32 [rows]. */
  readonly tokens: Tensor;
  /** Of the newest tokens, [rows]. */
  readonly logProbs: Tensor;
  readonly #model: ModelOnDevice;
  readonly #held: {
    readonly past: Tensor;
    /** [rows, width] */
    readonly table: Tensor;
    /** [rows, columns of `kernelSampling`] */
    readonly settings: Tensor;
    /** [rows * uniformsAhead] */
    readonly uniforms: Tensor;
    /** Where among them each row's next one is, int32 [rows]. */
    readonly places: Tensor;
    /** 0, 1, 2, ..., int32 [rows]. */
    readonly all: Tensor;
    readonly layout: ReturnType<typeof sequenceLayout>;
  };
  /** The same numbers on the host. */
  readonly #past: Int32Array;
  readonly #table: Int32Array;
  #column = uniformsAhead;
  #kind: SamplingKind | null = null;
  /** Whose row it is; none for rows that repeat another. */
  #owners: (Reply | null)[];
  /** Whom each row follows. */
  #followed: (Reply | null)[];

  constructor(model: ModelOnDevice, rows: number, width: number) {
    const { kernels } = model;
    this.#model = model;
    [this.rows, this.width] = [rows, width];
    [this.#past, this.#table] = [new Int32Array(rows).fill(-1), new Int32Array(rows * width)];
    this.#owners = new Array<null>(rows).fill(null);
    this.#followed = new Array<null>(rows).fill(null);
    const made = kernels.scope(() => {
      const ints = (count: number): Tensor => kernels.upload(new Int32Array(count), [count]);
      const own = {
        tokens: ints(rows),
        logProbs: kernels.zeros([rows], "full"),
        held: {
          past: ints(rows),
          table: kernels.upload(this.#table, [rows, width]),
          settings: kernels.zeros([rows, kernelSampling.length], "full"),
          uniforms: kernels.zeros([rows * uniformsAhead], "full"),
          places: ints(rows),
          all: kernels.upload(
            Int32Array.from({ length: rows }, (_, row) => row),
            [rows],
          ),
          layout: sequenceLayout(
            kernels,
            Int32Array.from({ length: rows + 1 }, (_, row) => row),
          ),
        },
      };
      for (const tensor of tensorsIn(own)) kernels.keep(tensor);
      return own;
    });
    [this.tokens, this.logProbs, this.#held] = [made.tokens, made.logProbs, made.held];
  }

  /** What the settings of its rows come to. */
  get kind(): SamplingKind {
    return this.#kind as SamplingKind;
  }

  /** The replies of the step to come or just made, and their rows. */
  drawing(): { readonly replies: readonly Reply[]; readonly rows: readonly number[] } {
    const rows = Array.from(this.#owners.keys()).filter((row) => this.#owners[row] !== null);
    return { replies: rows.map((row) => this.#owners[row] as Reply), rows };
  }

  /**
   * Puts replies into rows, and what is new of them onto the device.
   * @param before - the lane of the step before, which has tokens that the host may not have seen
   */
  arrange(replies: readonly Reply[], { table, width }: RowPages, before: DecodeLane | null): void {
    const numbers = new Map(replies.map((reply, i) => [reply, i]));
    this.#takeSlots(numbers, replies);
    const leader = replies[0] as Reply;
    const followed = this.#owners.map((owner) => owner ?? leader);
    const changed = Array.from(followed.keys()).filter(
      (row) => followed[row] !== this.#followed[row] || followed[row]?.held !== this.#past[row],
    );
    const { kernels } = this.#model;
    kernels.scope(() => {
      const ints = (values: readonly number[] | Int32Array): Tensor =>
        kernels.upload(Int32Array.from(values), [values.length]);
      if (changed.length > 0) this.#join(changed, followed, before, ints);
      if (this.#column === uniformsAhead) this.#refill(followed, ints);
      const pages = new Int32Array(this.#table.length);
      followed.forEach((reply, row) => {
        const from = (numbers.get(reply) as number) * width;
        pages.set(table.subarray(from, from + width), row * this.width);
      });
      if (pages.some((page, i) => page !== this.#table[i])) {
        this.#table.set(pages);
        kernels.writeRows(this.#held.table, this.#held.all, kernels.upload(pages, [this.rows, this.width]));
      }
    });
    this.#followed = followed;
  }

  /** One step of all rows: draws the next tokens, and leaves them and their log-probs where the next step finds them. */
  run(caches: readonly KeyValueCache[], mostLikeliest: number): LikeliestPiece | null {
    const { kernels } = this.#model;
    const { past, table, settings, uniforms, places, all, layout } = this.#held;
    return kernels.scope(() => {
      // What follows from these is worked out anew in each step: from copies, it goes with the step.
      const plan = {
        layout,
        table: this.#table,
        tableOnDevice: kernels.copy(table),
        past: this.#past,
        pastOnDevice: kernels.copy(past),
      };
      const logits = forwardNext(this.#model, kernels.copy(this.tokens), caches, plan);
      const next = kernels.pickRows(uniforms, kernels.copy(places));
      const sampled = kernels.sampleTokens(logits, {
        settings: kernels.copy(settings),
        uniforms: kernels.reshape(next, [this.rows, 1]),
        column: 0,
        kind: this.kind,
      });
      kernels.writeRows(this.tokens, all, sampled.tokens);
      kernels.writeRows(this.logProbs, all, sampled.logProbs);
      kernels.advance(past, 1);
      kernels.advance(places, 1);
      if (mostLikeliest < 0) return null;
      return kernels.tokenLogProbs(logits, sampled.tokens, Math.min(mostLikeliest, logits.shape[1] as number));
    });
  }

  /** The host's part of a step. */
  advanced(): void {
    for (const owner of this.#owners) if (owner) owner.ahead += 1;
    for (let row = 0; row < this.rows; row++) this.#past[row] = (this.#past[row] as number) + 1;
    this.#column += 1;
  }

  free(): void {
    this.#model.kernels.free(...tensorsIn({ tokens: this.tokens, logProbs: this.logProbs, ...this.#held }));
  }

  /** Who goes on keeps its row; who comes takes a free one. */
  #takeSlots(numbers: ReadonlyMap<Reply, number>, replies: readonly Reply[]): void {
    const seated = new Set(this.#owners.filter((owner) => owner !== null && numbers.has(owner)));
    const coming = replies.filter((reply) => !seated.has(reply)).values();
    this.#owners = this.#owners.map((owner) => (owner && seated.has(owner) ? owner : (coming.next().value ?? null)));
  }

  #join(
    changed: readonly number[],
    followed: readonly Reply[],
    before: DecodeLane | null,
    ints: (values: readonly number[] | Int32Array) => Tensor,
  ): void {
    const { kernels } = this.#model;
    const { past, settings, all } = this.#held;
    const known = new Map<Reply, number>();
    before?.drawnRows.forEach((row, reply) => known.set(reply, row));
    const moving = changed.filter((row) => known.has(followed[row] as Reply));
    const coming = changed.filter((row) => !known.has(followed[row] as Reply));
    // Before anything is written: rows may change places.
    const moved =
      moving.length > 0 && before
        ? kernels.pickRows(before.tokens, ints(moving.map((row) => known.get(followed[row] as Reply) as number)))
        : null;
    if (moved) kernels.writeRows(this.tokens, ints(moving), moved);
    if (coming.length > 0)
      kernels.writeRows(
        this.tokens,
        ints(coming),
        ints(coming.map((row) => (followed[row] as Reply).tokens.at(-1) as number)),
      );
    followed.forEach((reply, row) => (this.#past[row] = reply.held));
    kernels.writeRows(past, all, ints(this.#past));
    const packed = packSampling(settingsOf(followed));
    this.#kind = packed.kind;
    kernels.writeRows(settings, all, kernels.upload(packed.settings, [this.rows, kernelSampling.length], "full"));
    if (this.#column < uniformsAhead) this.#writeUniforms(changed, followed, ints);
  }

  /** Whose newest token the device has, if the host's count of positions agrees. */
  get drawnRows(): ReadonlyMap<Reply, number> {
    const rows = new Map<Reply, number>();
    this.#followed.forEach((reply, row) => {
      if (reply && reply.held === this.#past[row]) rows.set(reply, row);
    });
    return rows;
  }

  #refill(followed: readonly Reply[], ints: (values: readonly number[] | Int32Array) => Tensor): void {
    this.#column = 0;
    this.#writeUniforms(Array.from(followed.keys()), followed, ints);
    const starts = Int32Array.from(followed, (_, row) => row * uniformsAhead);
    this.#model.kernels.writeRows(this.#held.places, this.#held.all, ints(starts));
  }

  /** The numbers of the columns that are left. */
  #writeUniforms(
    rows: readonly number[],
    followed: readonly Reply[],
    ints: (values: readonly number[] | Int32Array) => Tensor,
  ): void {
    const { kernels } = this.#model;
    const left = uniformsAhead - this.#column;
    const [at, values] = [new Int32Array(rows.length * left), new Float32Array(rows.length * left)];
    rows.forEach((row, i) => {
      const { tokens, ahead, uniforms } = followed[row] as Reply;
      for (let j = 0; j < left; j++) {
        at[i * left + j] = row * uniformsAhead + this.#column + j;
        values[i * left + j] = uniforms.at(tokens.length + ahead + j);
      }
    });
    kernels.writeRows(this.#held.uniforms, ints(at), kernels.upload(values, [values.length], "full"));
  }
}
