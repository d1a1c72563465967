import { LaconicError, type Sampling } from "@laconic/core";
import { checkSampling, samplingFields, supportedSampling, type SamplingSupport } from "@laconic/core/backends";
import { Turns } from "@laconic/core/async";
import { optionCheck } from "@laconic/core/checks";
import { modelInput } from "../wire/datum.ts";
import { replies, type CapabilitiesReply, type SampledReply } from "../wire/replies.ts";
import { future, lostError } from "./future.ts";
import { memoryJournal, type Journal } from "./journal.ts";
import { TrainingClient } from "./training-client.ts";
import { Transport, transportKeys, type TransportOptions } from "./transport.ts";

/** Options of a session. */
export interface TinkerClientOptions extends TransportOptions {
  /** Default: in memory. */
  readonly journal?: Journal;
  /**
   * True if the server runs a repeated number once; then a request with unknown outcome is sent again. Default false.
   */
  readonly deduplicates?: boolean;
  /**
   * Max concurrent sample requests. Default 64, because SkyRL's SQLite fails with "database is locked" under
   * hundreds.
   */
  readonly samplesAtOnce?: number;
  /** Shown by the server; must contain no secrets. */
  readonly tags?: readonly string[];
  /** Milliseconds between heartbeats. Default 10,000. */
  readonly heartbeatMs?: number;
  /** Called when a heartbeat failed; without any, the session expires within minutes. */
  readonly onSilence?: (error: LaconicError) => void;
}

const checkOptions = optionCheck<TinkerClientOptions>()(
  "TinkerClient.connect",
  `${transportKeys} journal deduplicates samplesAtOnce tags heartbeatMs onSilence`,
);

/** A new adapter. */
export interface AdapterSettings {
  readonly baseModel: string;
  readonly rank: number;
  readonly seed?: number;
}

/** Sampling parameters of the protocol. */
export const tinkerSampling: SamplingSupport = { name: "the Tinker protocol", supports: supportedSampling("tinker") };

/** Default temperature 1. */
export interface TinkerSampling extends Partial<Sampling> {
  readonly maxTokens: number;
  /** From 0 to 2^31 - 1. */
  readonly seed?: number;
  readonly stopTokens?: readonly number[];
}

/**
 * Session with a server of the Tinker protocol, which trains adapters and samples. SDK 0.24 (plain JSON) by default,
 * 0.25 with `codec: protobufCodec`.
 */
export class TinkerClient {
  readonly sessionId: string;
  readonly transport: Transport;
  readonly #options: TinkerClientOptions;
  readonly #journal: Journal;
  readonly #heart: NodeJS.Timeout;
  readonly #closed = new AbortController();
  #lost: LaconicError | null = null;
  #models = 0;
  #samplers = 0;
  #samples = 0;
  readonly #turns: Turns;

  private constructor(sessionId: string, transport: Transport, options: TinkerClientOptions) {
    this.sessionId = sessionId;
    this.transport = transport;
    this.#options = options;
    this.#journal = options.journal ?? memoryJournal();
    this.#turns = new Turns(options.samplesAtOnce ?? 64);
    this.#heart = setInterval(() => void this.#beat(), options.heartbeatMs ?? 10_000);
    this.#heart.unref();
  }

  /** Opens a session, kept alive by heartbeats until `close`. */
  static async connect(options: TinkerClientOptions): Promise<TinkerClient> {
    checkOptions(options);
    const transport = new Transport(options);
    const body = {
      tags: options.tags ?? [],
      user_metadata: {},
      sdk_version: transport.codec.sdkVersion,
      type: "create_session",
    };
    // A second session from a repeated request expires without heartbeats.
    const { session_id } = await transport.exchange("create_session", body, replies.session, "always");
    return new TinkerClient(session_id, transport, options);
  }

  capabilities(signal?: AbortSignal): Promise<CapabilitiesReply> {
    return this.transport.exchange("get_server_capabilities", null, replies.capabilities, "always", signal);
  }

  /** Creates an adapter on a base model. */
  async createModel(settings: AdapterSettings, signal?: AbortSignal): Promise<TrainingClient> {
    const { baseModel, rank, seed } = settings;
    const body = {
      session_id: this.sessionId,
      model_seq_id: this.#models++,
      base_model: baseModel,
      lora_config: { rank, ...(seed !== undefined && { seed }) },
      type: "create_model",
    };
    // An unused model of a repeated request ends with the session.
    const { model_id } = await future(this.transport, "create_model", body, replies.model, "always", signal);
    return this.#training(model_id);
  }

  /** Opens an existing model of the server; the journal has its last number. */
  async resumeModel(modelId: string): Promise<TrainingClient> {
    const model = await this.#training(modelId);
    await model.assertModelExists();
    return model;
  }

  async #training(modelId: string): Promise<TrainingClient> {
    return TrainingClient.open(modelId, {
      transport: this.transport,
      journal: this.#journal,
      repeat: this.#options.deduplicates === true ? "always" : "never",
      nextSampler: () => this.#samplers++,
      lost: () => this.#lost,
    });
  }

  /**
   * Samples replies to a prompt of token ids. Repeated calls cost again.
   * @param options.count - number of replies; default 1
   */
  async sample(
    sampler: string,
    promptTokens: readonly number[],
    sampling: TinkerSampling,
    options: {
      readonly count?: number;
      readonly promptLogProbs?: boolean;
      readonly signal?: AbortSignal | undefined;
    } = {},
  ): Promise<SampledReply> {
    const { maxTokens, temperature = 1, seed, stopTokens = [] } = sampling;
    checkSampling({ ...sampling, temperature }, tinkerSampling);
    const { count = 1, promptLogProbs = false, signal } = options;
    const body = {
      sampling_session_id: sampler,
      seq_id: this.#samples++,
      num_samples: count,
      prompt: modelInput(promptTokens),
      sampling_params: {
        max_tokens: maxTokens,
        temperature,
        ...samplingFields("tinker", sampling, "asked"),
        ...(seed !== undefined && { seed }),
        ...(stopTokens.length > 0 && { stop: stopTokens }),
      },
      ...(promptLogProbs && { prompt_logprobs: true }),
      type: "sample",
    };
    const combined = AbortSignal.any([this.#closed.signal, ...(signal ? [signal] : [])]);
    await this.#turns.enter(combined);
    return future(this.transport, "asample", body, replies.sampled, "always", combined).finally(() =>
      this.#turns.leave(),
    );
  }

  /** Ends heartbeats and waiting samples, but unloads no models. */
  close(): void {
    clearInterval(this.#heart);
    this.#closed.abort();
  }

  async #beat(): Promise<void> {
    const body = { session_id: this.sessionId, type: "session_heartbeat" };
    try {
      await this.transport.exchange("session_heartbeat", body, replies.anything, "never", this.#closed.signal);
    } catch (error) {
      if (this.#closed.signal.aborted || !LaconicError.is(error)) return;
      // The models of a forgotten session are gone, even if their names exist again.
      this.#lost ??= lostError(this.transport, `session ${this.sessionId}`, error);
      this.#options.onSilence?.(error);
    }
  }
}
