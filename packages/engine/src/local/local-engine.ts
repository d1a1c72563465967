import { configError, LaconicError, present } from "@laconic/core";
import type { Engine, EngineCapabilities, ValueModelOptions, ValueSource } from "@laconic/core";
import { expectNotAborted, untilAborted } from "@laconic/core/async";
import type { ModelFiles } from "@laconic/core/files";
import { defaultFiles, startThread } from "#platform";
import { freeShare } from "../generation/cache-bytes.ts";
import type { KeptPrefixLimits } from "../generation/kept-prefixes.ts";
import type { KernelSource, Kernels } from "../kernels/index.ts";
import type { OptimizerPlace } from "../optimizer/adamw.ts";
import type { Recompute } from "../transformer/train-pass.ts";
import { InlineHost } from "./host/inline-host.ts";
import type { EngineHost, HostPort, HostSetup } from "./host/protocol.ts";
import type { HostSettings, HostSource, ModelFacts } from "./hosted-model/model-types.ts";
import { LocalModel, LocalValueModel } from "./local-model.ts";
import { hostOver, webWorkerPort, type WebWorker } from "./host/worker-host.ts";

/** Options of `createLocalEngine`. */
export interface LocalEngineOptions {
  /** Kernel source, or one per worker for several GPUs. */
  readonly device: KernelSource | readonly KernelSource[];
  /**
   * Worker threads with a replica of every model. Default: number of devices. The number changes the order of
   * gradient sums.
   */
  readonly workers?: number;
  /** Max tokens per replica and micro-batch, shared ones counted once. Default 16,384. */
  readonly maxTokensPerMicroBatch?: number;
  /** `layer` keeps only each layer's input. Default `none`. */
  readonly recompute?: Recompute;
  /**
   * `host` keeps moments and exact weights of float32 in the host's memory and copies them at each optimizer step: same
   * bits, 8 bytes less per trained parameter, 12 where weights are rounded. Default `device`.
   */
  readonly optimizer?: OptimizerPlace;
  /** Computes shared prefixes once. Default true. If false, each sequence has its own dropout masks. */
  readonly sharePrefixes?: boolean;
  /** Limits of cached prefixes. Default: cache capacity. */
  readonly keptPrefixes?: KeptPrefixLimits;
  /**
   * Max bytes of key-value caches per worker. Default: three quarters of free memory at first use, divided among its
   * workers; 1 GiB if unknown.
   */
  readonly cacheBytes?: number;
  /** Starts a worker whose file calls `serveEngine`. Required in browsers. */
  readonly startWorker?: () => WebWorker;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
  /** Called once per model when memory runs out. */
  readonly onWarning?: (message: string) => void;
}

const defaultMaxTokens = 16_384;

/**
 * Creates an engine on worker threads.
 * @throws LaconicError `config_invalid`, `device_unavailable` also if threads cannot share memory, `aborted`.
 */
export async function createLocalEngine(options: LocalEngineOptions): Promise<Engine> {
  const devices = [options.device].flat();
  const { workers = devices.length, maxTokensPerMicroBatch = defaultMaxTokens, cacheBytes } = options;
  if (!Number.isInteger(workers) || workers < 1)
    throw configError(`engine.workers: expected a positive integer, got ${workers}`);
  if (devices.length === 0 || (Array.isArray(options.device) && devices.length !== workers))
    throw configError(`engine.workers: expected one worker per device (${devices.length}), got ${workers}`);
  if (!(maxTokensPerMicroBatch >= 1))
    throw configError(`engine.maxTokensPerMicroBatch: expected at least 1, got ${maxTokensPerMicroBatch}`);
  if (cacheBytes !== undefined && !(cacheBytes > 0))
    throw configError(`engine.cacheBytes: expected more than 0, got ${cacheBytes}`);
  expectSharedMemory(workers);
  const { signal } = options;
  expectNotAborted(signal, starting);
  const { startWorker } = options;
  const settings = hostSettings(options, Math.ceil(workers / devices.length));
  const start = (device: KernelSource): HostPort => {
    const setup: HostSetup = { device, place: { sharing: workers }, ...settings };
    return startWorker ? webWorkerPort(startWorker(), setup) : startThread(setup);
  };
  const ports = Array.from({ length: workers }, (_, worker) => start(devices[worker % devices.length]!));
  const hosts = ports.map(hostOver);
  try {
    return await untilAborted(assemble(hosts, options), signal, starting);
  } catch (error) {
    // A thread that starts its device handles no messages.
    await Promise.allSettled(signal?.aborted ? ports.map((port) => port.close()) : hosts.map((host) => host.close()));
    throw error;
  }
}

const starting = "the start of the engine";

type ModelOptions = Pick<LocalEngineOptions, "maxTokensPerMicroBatch" | "sharePrefixes" | "onWarning">;

type HostOptions = Pick<
  LocalEngineOptions,
  "recompute" | "optimizer" | "sharePrefixes" | "keptPrefixes" | "cacheBytes"
>;

function expectSharedMemory(workers: number): void {
  if (workers === 1 || typeof SharedArrayBuffer === "function") return;
  throw new LaconicError(
    "device_unavailable",
    `${workers} workers need shared memory, which this page lacks; send it with the headers Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp, or use one worker`,
    { workers },
  );
}

/** Creates an engine on the calling thread; each kernel set is a replica. */
export function createInlineEngine(
  kernels: readonly Kernels[],
  options: ModelOptions & HostOptions & { readonly files?: ModelFiles } = {},
): Promise<Engine> {
  const settings = { ...hostSettings(options, kernels.length), files: options.files ?? defaultFiles };
  const hosts = kernels.map((kernel) => new InlineHost(kernel, settings));
  return assemble(hosts, options);
}

/** @param sharing - workers on the same memory */
function hostSettings(
  { recompute = "none", optimizer = "device", sharePrefixes = true, keptPrefixes, cacheBytes }: HostOptions,
  sharing: number,
): HostSettings {
  const cache = cacheBytes === undefined ? { share: freeShare / sharing } : { bytes: cacheBytes };
  return { recompute, optimizer, sharePrefixes, limits: { cache, ...present({ keptPrefixes }) } };
}

async function assemble(
  hosts: readonly EngineHost[],
  { maxTokensPerMicroBatch = defaultMaxTokens, sharePrefixes = true, onWarning }: ModelOptions,
): Promise<Engine> {
  const [description] = await Promise.all(hosts.map((host) => host.describe()));
  const capabilities: EngineCapabilities = {
    kind: "local",
    ...description!,
    workers: hosts.length,
    scalarHeads: true,
  };
  const { dtype } = capabilities;
  const settings = { maxTokensPerMicroBatch, sharePrefixes, dtype, ...present({ onWarning }) };
  let nextModel = 0;
  const open = async <Model>(
    Model: new (...args: ConstructorParameters<typeof LocalModel>) => Model,
    source: HostSource,
    signal: AbortSignal | undefined,
  ): Promise<Model> => {
    const opening = "opening the model";
    expectNotAborted(signal, opening);
    const model = nextModel++;
    const created = await untilAborted(createOn(hosts, model, source), signal, opening, () => {
      for (const host of hosts) host.disposeModel(model).catch(() => undefined);
    });
    return new Model(hosts, model, created[0]!, settings);
  };
  return {
    capabilities,
    createModel: (source, { signal } = {}) => open(LocalModel, source, signal),
    createValueModel: async (source, options = {}) =>
      open(LocalValueModel, scalarSource(source, options, hosts), options.signal),
    async deviceBytes() {
      const devices = await Promise.all(hosts.map((host) => host.memory()));
      const used = devices.flatMap((device) => (device && !device.isHost ? device.total - device.free : []));
      return used.length === 0 ? null : Math.max(...used);
    },
    async close(): Promise<void> {
      await Promise.all(hosts.map((host) => host.close()));
    },
  };
}

function scalarSource(
  source: ValueSource,
  { train = source.kind === "trunk" ? "head" : "all" }: ValueModelOptions,
  hosts: readonly EngineHost[],
): HostSource {
  if (source.kind !== "trunk") return { kind: "scalar", layers: source, trainsHeadAlone: train === "head" };
  if (train !== "head")
    throw configError(
      'createValueModel: train "all" would change the layers of the policy; use "head", or separate layers',
      { key: "train" },
    );
  const { policy } = source;
  if (!(policy instanceof LocalModel) || policy.hosts !== hosts)
    throw new LaconicError("model_unsupported", `createValueModel: policy ${policy.id} is not a model of this engine`, {
      policy: policy.id,
    });
  return { kind: "scalar-on", model: policy.number };
}

async function createOn(hosts: readonly EngineHost[], model: number, source: HostSource): Promise<ModelFacts[]> {
  const created = await Promise.allSettled(hosts.map((host) => host.create(model, source)));
  const failed = created.find((item) => item.status === "rejected");
  if (!failed) return created.map((item) => (item as PromiseFulfilledResult<ModelFacts>).value);
  await Promise.allSettled(
    hosts.filter((_, i) => created[i]?.status === "fulfilled").map((host) => host.disposeModel(model)),
  );
  throw failed.reason;
}
