import { createHash } from "node:crypto";
import { join } from "node:path";
import { makeFolders } from "@laconic/core/platform";
import type { BaseSource, Engine, LoraSettings, Sampler } from "@laconic/core";
import { z } from "zod";
import type { ServerRecord } from "../engine/server-record.ts";
import { draw } from "./draw.ts";
import { mar, type Fault, type FaultInjector } from "./faults.ts";
import { binaryResult } from "./protobuf-server.ts";
import { ServedModel } from "./served-model.ts";

const tensor = z.object({ data: z.array(z.number()), dtype: z.enum(["float32", "int64"]) });
const input = z.object({
  chunks: z.array(z.object({ type: z.literal("encoded_text"), tokens: z.array(z.number().int().nonnegative()) })),
});
const pass = z.object({
  data: z.array(z.object({ model_input: input, loss_fn_inputs: z.record(z.string(), tensor) })).min(1),
  loss_fn: z.string(),
});
const numberedSchema = z.object({ model_id: z.string(), seq_id: z.number().int().positive() });

const requests = {
  createModel: z.object({
    session_id: z.string(),
    base_model: z.string(),
    lora_config: z.strictObject({
      rank: z.number().int().positive(),
      seed: z.number().int().optional(),
    }),
  }),
  forward: numberedSchema.extend({ forward_input: pass }),
  forwardBackward: numberedSchema.extend({ forward_backward_input: pass }),
  optimStep: numberedSchema.extend({
    adam_params: z.object({
      learning_rate: z.number().nonnegative(),
      beta1: z.number(),
      beta2: z.number(),
      eps: z.number().positive(),
      weight_decay: z.number(),
      grad_clip_norm: z.number().optional(),
    }),
  }),
  save: numberedSchema.extend({
    path: z.string().regex(/^[\w-]{1,255}$/u),
    ttl_seconds: z.number().int().positive().optional(),
  }),
  load: numberedSchema.extend({ path: z.string(), optimizer: z.boolean() }),
  saveForSampler: numberedSchema.extend({
    sampling_session_seq_id: z.number().int(),
    ttl_seconds: z.number().int().positive().optional(),
  }),
  model: z.object({ model_id: z.string() }),
  heartbeat: z.object({ session_id: z.string() }),
  sample: z.object({
    sampling_session_id: z.string(),
    num_samples: z.number().int().positive(),
    prompt: input,
    sampling_params: z.object({
      max_tokens: z.number().int().positive(),
      temperature: z.number().nonnegative(),
      top_k: z.number().int().optional(),
      top_p: z.number().optional(),
      seed: z.number().int().optional(),
      stop: z.array(z.number().int()).optional(),
    }),
    prompt_logprobs: z.boolean().optional(),
  }),
  future: z.object({ request_id: z.string() }),
};

/** Options of a test server. */
export interface TinkerServerOptions {
  readonly engine: Engine;
  readonly bases: Readonly<Record<string, BaseSource>>;
  readonly folder: string;
  /** Differences from the hosted service. */
  readonly as?: Partial<Omit<ServerRecord, "baseModel">>;
  /** Silently computes this loss for every request. */
  readonly onlyLoss?: string;
  /** Adapter scale. Default 32. */
  readonly loraAlpha?: number;
  readonly fault?: FaultInjector;
  /** Milliseconds that a poll stays open. Default 20. */
  readonly holdMs?: number;
  /** Waits this many milliseconds. Default: real time. */
  readonly sleep?: (ms: number) => Promise<undefined>;
}

export interface TinkerRequest {
  /** Path after `/api/v1/`. */
  readonly path: string;
  readonly body: unknown;
  readonly accept: string | null;
}

/** Answer: bytes are protobuf, text is sent unchanged, other values as JSON. */
export interface TinkerAnswer {
  readonly status: number;
  readonly value: unknown;
}

export interface TinkerService {
  /** Bodies by path, in order of arrival. */
  readonly log: readonly { readonly path: string; readonly body: unknown }[];
  /** Null if the connection breaks. */
  answer(request: TinkerRequest): Promise<TinkerAnswer | null>;
  /** Simulates a restart: sessions, models and promises are lost, checkpoints remain. */
  forget(): void;
}

/** Fixed optimizer settings, as in SkyRL's `OptimizerConfig`. */
const ownOptimizer = { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weightDecay: 0.01 };
const ownMaxGradNorm = 1;

/** Behaviour of SkyRL's server on FSDP and Megatron: betas, epsilon and clip are fixed at its start. */
export const skyrlTrainServer: Partial<Omit<ServerRecord, "baseModel">> = {
  reduction: { sequences: "sum", positions: "sum" },
  promptLogProbs: "none",
  gradNorm: "skyrl.ai/grad_norm",
  optimizer: "own",
  clips: false,
  clipsItself: true,
};

type Outcome = { readonly value: unknown } | { readonly error: string; readonly category: string };

/** Tinker protocol for any {@link Engine}, for tests: strict about requests, with configurable behaviour. */
export function createTinkerService(options: TinkerServerOptions): TinkerService {
  const { engine, bases, folder, as = {}, fault = () => null, holdMs = 20, loraAlpha = 32, sleep = asleep } = options;
  const reduction = as.reduction ?? { sequences: "sum", positions: "sum" };
  const log: { path: string; body: unknown }[] = [];
  let [models, samplers, promises, seen, sessions] = emptyState();
  let nextId = 0;
  const newId = (kind: string): string => `${kind}-${nextId++}`;

  const modelOf = (id: string): ServedModel => {
    const servedModel = models.get(id);
    if (!servedModel) throw new HttpError(400, `unknown model ${id}`);
    return servedModel;
  };
  const promise = (work: Promise<unknown>, marred: Fault | null): { request_id: string } => {
    const id = String(nextId++);
    const outcome = work.then(
      (value): Outcome => ({ value: mar(value, marred) }),
      (error: unknown): Outcome => ({ error: (error as Error).message, category: "user" }),
    );
    if (marred?.kind === "never") promises.set(id, new Promise(() => undefined));
    else if (marred?.kind === "fails")
      promises.set(id, Promise.resolve({ error: "it failed", category: marred.category }));
    else promises.set(id, outcome);
    return { request_id: id };
  };
  /** A repeated number with the same body returns the same promise. */
  const numbered = (
    path: string,
    body: { readonly model_id: string; readonly seq_id: number },
    marred: Fault | null,
    work: (model: ServedModel) => Promise<unknown>,
  ): { request_id: string } => {
    const model = modelOf(body.model_id);
    const key = `${body.model_id} ${body.seq_id}`;
    const hash = createHash("sha256").update(path).update(JSON.stringify(body)).digest("hex");
    const before = seen.get(key);
    if (before && (as.deduplicates ?? true)) {
      if (before.hash !== hash) throw new HttpError(409, `seq_id ${body.seq_id} had another body`);
      return before.promise;
    }
    const made = promise(
      model.inOrder(() => work(model)),
      marred,
    );
    seen.set(key, { hash, promise: made });
    return made;
  };
  const passReply = (rows: readonly number[][]): unknown => ({
    loss_fn_output_type: "logprobs",
    loss_fn_outputs: rows.map((row) => ({ logprobs: { data: row, dtype: "float32", shape: [row.length] } })),
    metrics: {},
  });
  const lossOf = (asked: string): string => options.onlyLoss ?? asked;

  const endpoints: Readonly<Record<string, (body: unknown, marred: Fault | null) => unknown>> = {
    healthz: () => ({ status: "ok" }),
    get_server_capabilities: () => ({
      supported_models: Object.keys(bases).map((model_name) => ({
        model_name,
        ...(as.contextLength !== undefined && { max_context_length: as.contextLength }),
      })),
    }),
    create_session: () => {
      const id = newId("session");
      sessions.add(id);
      return { session_id: id };
    },
    session_heartbeat: (body) => {
      const { session_id } = parse(requests.heartbeat, body);
      if (!sessions.has(session_id)) throw new HttpError(404, `unknown session ${session_id}`);
      return {};
    },
    create_model: (body, marred) => {
      const { base_model, lora_config } = parse(requests.createModel, body);
      const base = bases[base_model];
      if (!base) throw new HttpError(400, `unknown base model ${base_model}`);
      if (as.severalModels === false && models.size > 0) throw new HttpError(400, "there is a model already");
      const lora: LoraSettings = { rank: lora_config.rank, alpha: loraAlpha };
      const work = engine.createModel({ kind: "adapter", base, lora, seed: lora_config.seed ?? 0 }).then((model) => {
        const id = newId("model");
        models.set(id, new ServedModel(model, reduction));
        return { model_id: id };
      });
      return promise(work, marred);
    },
    get_info: (body) => {
      const { model_id } = parse(requests.model, body);
      modelOf(model_id);
      return { model_id, model_data: { model_name: Object.keys(bases)[0] } };
    },
    forward: (body, marred) => {
      const asked = parse(requests.forward, body);
      return numbered("forward", asked, marred, async (model) =>
        passReply(await model.forward(asked.forward_input.data)),
      );
    },
    forward_backward: (body, marred) => {
      const asked = parse(requests.forwardBackward, body);
      const { data, loss_fn } = asked.forward_backward_input;
      return numbered("forward_backward", asked, marred, async (model) =>
        passReply(await model.forwardBackward(data, lossOf(loss_fn))),
      );
    },
    optim_step: (body, marred) => {
      const asked = parse(requests.optimStep, body);
      const { learning_rate, beta1, beta2, eps, weight_decay, grad_clip_norm = 0 } = asked.adam_params;
      return numbered("optim_step", asked, marred, async (model) => {
        const gradNorm = await model.step({
          learningRate: learning_rate,
          ...(as.optimizer === "own" ? ownOptimizer : { beta1, beta2, epsilon: eps, weightDecay: weight_decay }),
          maxGradNorm: Math.min(
            as.clipsItself ? ownMaxGradNorm : Infinity,
            (as.clips ?? true) && grad_clip_norm > 0 ? grad_clip_norm : Infinity,
          ),
        });
        return { metrics: as.gradNorm ? { [as.gradNorm]: gradNorm } : {} };
      });
    },
    save_weights: (body, marred) => {
      const asked = parse(requests.save, body);
      return numbered("save_weights", asked, marred, async ({ model }) => {
        await makeFolders(join(folder, asked.path));
        await model.save(join(folder, asked.path));
        return { path: `tinker://run/weights/${asked.path}` };
      });
    },
    load_weights: (body, marred) => {
      const asked = parse(requests.load, body);
      const name = /^tinker:\/\/run\/weights\/([\w-]+)$/u.exec(asked.path)?.[1];
      if (name === undefined) throw new HttpError(400, "unknown path");
      const path = join(folder, name);
      return numbered("load_weights", asked, marred, async ({ model }) => {
        await model.load(path);
        return { path: asked.path };
      });
    },
    save_weights_for_sampler: (body, marred) => {
      const asked = parse(requests.saveForSampler, body);
      return numbered("save_weights_for_sampler", asked, marred, async ({ model }) => {
        const id = newId("sampler");
        samplers.set(id, as.samplers === "live" ? model : await model.snapshot());
        return { sampling_session_id: id };
      });
    },
    asample: (body, marred) => {
      const asked = parse(requests.sample, body);
      return promise(draw(samplers.get(asked.sampling_session_id), asked, as), marred);
    },
    unload_model: (body, marred) => {
      const { model_id } = parse(requests.model, body);
      modelOf(model_id);
      // Samplers outlive their model; the engine frees both when it closes.
      models.delete(model_id);
      return promise(Promise.resolve({}), marred);
    },
  };

  const answer = async ({ path, body, accept }: TinkerRequest): Promise<TinkerAnswer | null> => {
    const count = log.filter((item) => item.path === path).length;
    log.push({ path, body });
    const injected = fault(path, count);
    if (injected?.kind === "status") return { status: injected.status, value: { detail: injected.text ?? "injected" } };
    if (injected?.kind === "drop") return null;
    if (injected?.kind === "slow") await sleep(injected.ms);
    try {
      if (path === "retrieve_future") {
        const { request_id } = parse(requests.future, body);
        const made = promises.get(request_id);
        if (!made) throw new HttpError(404, `unknown request ${request_id}`);
        const outcome = await Promise.race([made, sleep(holdMs)]);
        if (!outcome)
          return { status: count % 2 === 0 ? 408 : 200, value: { type: "try_again", queue_state: "active" } };
        const result = "value" in outcome ? outcome.value : outcome;
        return { status: 200, value: (accept === protobuf ? binaryResult(result) : null) ?? result };
      }
      const endpoint = endpoints[path];
      if (!endpoint) throw new HttpError(404, `no endpoint ${path}`);
      const value = endpoint(body, injected);
      if (injected?.kind === "drop-after") return null;
      if (injected?.kind === "other-model")
        return { status: 200, value: { ...(value as object), model_id: "another" } };
      return { status: 200, value: injected?.kind === "garbage" ? "<html>" : value };
    } catch (error) {
      if (error instanceof HttpError) return { status: error.status, value: { detail: error.message } };
      return { status: 500, value: { detail: String(error) } };
    }
  };
  return {
    log,
    answer,
    forget: () => {
      [models, samplers, promises, seen, sessions] = emptyState();
    },
  };
}

/** Does not keep the process alive. */
function asleep(ms: number): Promise<undefined> {
  return new Promise((resolve) => void setTimeout(resolve, ms, undefined).unref());
}

class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function emptyState(): [
  Map<string, ServedModel>,
  Map<string, Sampler>,
  Map<string, Promise<Outcome>>,
  Map<string, { readonly hash: string; readonly promise: { request_id: string } }>,
  Set<string>,
] {
  return [new Map(), new Map(), new Map(), new Map(), new Set()];
}

function parse<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new HttpError(422, JSON.stringify(parsed.error.issues[0]));
}

const protobuf = "application/x-protobuf";
