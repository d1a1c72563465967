import { type ErrorDetail, inputError, LaconicError, type OptimizerSettings } from "@laconic/core";
import type { z } from "zod";
import type { Datum } from "../wire/datum.ts";
import { replies, type PassReply } from "../wire/replies.ts";
import { awaitFuture, future, lostError } from "./future.ts";
import type { Journal } from "./journal.ts";
import type { Repeat, Transport } from "./transport.ts";

/** AdamW in the protocol's fields. */
export interface TinkerAdam extends Pick<
  OptimizerSettings,
  "learningRate" | "beta1" | "beta2" | "epsilon" | "weightDecay"
> {
  /** Sent only if set, because some servers ignore it silently. */
  readonly gradClipNorm?: number;
}

export interface TrainingClientParts {
  readonly transport: Transport;
  readonly journal: Journal;
  readonly repeat: Repeat;
  readonly nextSampler: () => number;
  /** Why the session has ended; null while it lives. */
  readonly lost: () => LaconicError | null;
}

const name = /^[\w-]{1,255}$/u;

/**
 * Model on the server. Requests are numbered, journaled and sent in call order, and run in that order. A request with
 * unknown outcome that must not run twice ends the model, because its gradient may be applied. Continue from a
 * checkpoint in a new model.
 */
export class TrainingClient {
  readonly modelId: string;
  readonly #parts: TrainingClientParts;
  #seq: number;
  #submitted: Promise<unknown> = Promise.resolve();
  /** Why the model has ended; null while it is usable. */
  #broken: LaconicError | null = null;
  /** Whether the server may hold a gradient without a step. */
  #pendingGradient = false;

  private constructor(modelId: string, seq: number, parts: TrainingClientParts) {
    this.modelId = modelId;
    this.#seq = seq;
    this.#parts = parts;
  }

  /** Continues after the journal's last number. */
  static async open(modelId: string, parts: TrainingClientParts): Promise<TrainingClient> {
    return new TrainingClient(modelId, await parts.journal.lastOf(modelId), parts);
  }

  /** Log-probs of the target tokens, per sequence. */
  forward(data: readonly Datum[], loss: string): Promise<PassReply> {
    return this.#pass("forward", "forward_input", data, loss);
  }

  /** Adds the loss gradient for the next `optimStep`. */
  forwardBackward(data: readonly Datum[], loss: string): Promise<PassReply> {
    return this.#pass("forward_backward", "forward_backward_input", data, loss);
  }

  /** Takes an optimizer step and returns the server's metrics. */
  async optimStep(adam: TinkerAdam): Promise<Readonly<Record<string, number>>> {
    const { learningRate, beta1, beta2, epsilon, weightDecay, gradClipNorm } = adam;
    const adam_params = {
      learning_rate: learningRate,
      beta1,
      beta2,
      eps: epsilon,
      weight_decay: weightDecay,
      ...(gradClipNorm !== undefined && { grad_clip_norm: gradClipNorm }),
    };
    const { metrics } = await this.#numbered("optim_step", { adam_params, type: "optim_step" }, replies.step);
    this.#pendingGradient = false;
    return metrics;
  }

  /** Saves weights and optimizer state under a name of letters, digits, `_` and `-`; returns the server's path. */
  async save(checkpoint: string): Promise<string> {
    const body = { path: expectName(checkpoint), type: "save_weights" };
    return (await this.#numbered("save_weights", body, replies.saved)).path;
  }

  /** Loads saved weights; servers accept this only as a model's first request. */
  async load(path: string, options: { readonly optimizer: boolean }, signal?: AbortSignal): Promise<void> {
    const body = { path, optimizer: options.optimizer, type: "load_weights" };
    await this.#numbered("load_weights", body, replies.anything, signal);
  }

  /**
   * Creates a sampler with the current weights and returns its id.
   * @param ttlSeconds - time after which the server may delete them; default: never
   */
  saveForSampler(ttlSeconds?: number): Promise<string> {
    return withOther(async (): Promise<string> => {
      const sampling_session_seq_id = this.#parts.nextSampler();
      const body = { sampling_session_seq_id, ...ttlOf(ttlSeconds), type: "save_weights_for_sampler" };
      return (await this.#numbered("save_weights_for_sampler", body, replies.sampler)).sampling_session_id;
    });
  }

  /**
   * Checks that the server has this model.
   * @throws LaconicError `api_refused`, or `engine_failed` if it answers for another model
   */
  async assertModelExists(): Promise<void> {
    const body = { model_id: this.modelId, type: "get_info" };
    const { model_id } = await this.#parts.transport.exchange("get_info", body, replies.model, "always");
    if (model_id !== this.modelId)
      throw new LaconicError("engine_failed", `expected a reply for model ${this.modelId}, got ${model_id}`, {
        model: this.modelId,
      });
  }

  /** Ends the model, because the server's state differs from the expected one. */
  condemn(reason: LaconicError): void {
    this.#broken ??= reason;
  }

  /**
   * Frees the model. A pending gradient is applied with learning rate 0, because some servers leave it to the next
   * model.
   */
  async unload(): Promise<void> {
    if (this.#pendingGradient) {
      const adam_params = { learning_rate: 0, beta1: 0.9, beta2: 0.95, eps: 1e-8, weight_decay: 0 };
      const body = { model_id: this.modelId, seq_id: ++this.#seq, adam_params, type: "optim_step" };
      await future(this.#parts.transport, "optim_step", body, replies.step, "never").catch(() => undefined);
    }
    const body = { model_id: this.modelId, type: "unload_model" };
    await future(this.#parts.transport, "unload_model", body, replies.anything, "always");
  }

  async #pass(path: string, key: string, data: readonly Datum[], loss: string): Promise<PassReply> {
    // Some servers never answer.
    if (data.length === 0) throw inputError(`${path}: no sequences`);
    const reply = await this.#numbered(path, { [key]: { data, loss_fn: loss } }, replies.pass);
    try {
      checkPass(path, reply, data);
    } catch (error) {
      // The gradient of a failed pass may be applied.
      if (path === "forward_backward" && LaconicError.is(error)) this.#broken ??= error;
      throw error;
    }
    return reply;
  }

  #numbered<S extends z.ZodType>(path: string, body: object, schema: S, signal?: AbortSignal): Promise<z.output<S>> {
    const submitted = this.#submitted.then(() => this.#submit(path, body, signal));
    this.#submitted = submitted.catch(() => undefined);
    return submitted
      .then((requestId) => awaitFuture(this.#parts.transport, { path, requestId }, schema, signal))
      .catch((error: unknown) => {
        const lost = lostError(this.#parts.transport, `model ${this.modelId}`, error);
        if (lost) this.#broken ??= lost;
        this.#judge(path, error);
        throw lost ?? error;
      });
  }

  async #submit(path: string, body: object, signal: AbortSignal | undefined): Promise<string> {
    this.#broken ??= this.#parts.lost();
    if (this.#broken)
      throw new LaconicError("engine_failed", `${path}: model ${this.modelId} ended: ${this.#broken.message}`, {
        model: this.modelId,
      });
    const { transport, journal, repeat } = this.#parts;
    const seq = ++this.#seq;
    const request = { model_id: this.modelId, seq_id: seq, ...body };
    if (path === "forward_backward") this.#pendingGradient = true;
    await journal.note({ model: this.modelId, seq, path });
    return (await transport.exchange(path, request, replies.promise, repeat, signal)).request_id;
  }

  /** Ends the model if a failure may have changed it. Refused and unsent requests change nothing. */
  #judge(path: string, error: unknown): void {
    if (!changes.has(path) || this.#broken || !LaconicError.is(error)) return;
    const { code, detail } = error;
    const unknown = code === "aborted" || code === "reply_malformed" || detail["outcome"] === "unknown";
    if (unknown || detail["outcome"] === "expired") this.#broken = error;
  }
}

function ttlOf(ttlSeconds: number | undefined): { readonly ttl_seconds?: number } {
  if (ttlSeconds === undefined) return {};
  if (Number.isInteger(ttlSeconds) && ttlSeconds > 0) return { ttl_seconds: ttlSeconds };
  throw inputError(`ttlSeconds: expected a whole number of seconds above 0, got ${ttlSeconds}`);
}

function expectName(checkpoint: string): string {
  if (name.test(checkpoint)) return checkpoint;
  throw inputError(`checkpoint ${checkpoint}: expected letters, digits, _ and -`);
}

/** Saves again if the name is taken, because the first reply may be lost. */
export function withOther(save: () => Promise<string>): Promise<string> {
  return save().catch((error: unknown) => {
    if (LaconicError.is(error) && error.detail["status"] === 409) return save();
    throw error;
  });
}

const changes: ReadonlySet<string> = new Set(["forward_backward", "optim_step", "load_weights"]);

function checkPass(path: string, { loss_fn_outputs }: PassReply, data: readonly Datum[]): void {
  const refuse = (code: LaconicError["code"], reason: string, detail: ErrorDetail = {}): LaconicError =>
    new LaconicError(code, `${path}: ${reason}`, { path, ...detail });
  if (loss_fn_outputs.length !== data.length)
    throw refuse("reply_malformed", `${loss_fn_outputs.length} results for ${data.length} sequences`);
  loss_fn_outputs.forEach(({ logprobs: { data: values } }, sequence) => {
    const expected = data[sequence]?.loss_fn_inputs["target_tokens"]?.data.length ?? 0;
    if (values.length !== expected) {
      const reason = `sequence ${sequence} has ${values.length} log-probs, expected ${expected}`;
      throw refuse("reply_malformed", reason, { sequence });
    }
    const token = values.findIndex((value) => !Number.isFinite(value));
    if (token < 0) return;
    const reason = `the log-prob of sequence ${sequence}, token ${token} is not finite`;
    throw refuse("numeric_invalid", reason, { sequence, token });
  });
}
