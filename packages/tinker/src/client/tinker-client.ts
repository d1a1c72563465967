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

/** How a session is held. */
export interface TinkerClientOptions extends TransportOptions {
  /** Of numbered requests; forgets with the process by default. */
  readonly journal?: Journal;
  /**
   * The server runs a repeated number once, as the capability probe proves: then a request whose outcome is unknown is sent
   * again. False by default.
   */
  readonly deduplicates?: boolean;
  /**
   * Samples that are asked for at a time, of all samplers together; 64 by default. SkyRL keeps each request and each poll in SQLite, which
   * fails with "database is locked" under hundreds.
   */
  readonly samplesAtOnce?: number;
  /** Shown in the server's lists; no secrets. */
  readonly tags?: readonly string[];
  /** Milliseconds between signs of life; 10,000 by default. */
  readonly heartbeatMs?: number;
  /** Hears when a sign of life failed; the session dies on the server after some minutes of silence. */
  readonly onSilence?: (error: LaconicError) => void;
}

const checkOptions = optionCheck<TinkerClientOptions>()(
  "TinkerClient.connect",
  `${transportKeys} journal deduplicates samplesAtOnce tags heartbeatMs onSilence`,
);

/** An adapter to be made. */
export interface AdapterSettings {
  readonly baseModel: string;
  readonly rank: number;
  readonly seed?: number;
}

/** What the protocol takes of sampling. */
export const tinkerSampling: SamplingSupport = { name: "the Tinker protocol", supports: supportedSampling("tinker") };

/** What a reply is drawn with: at temperature 1 by default. */
export interface TinkerSampling extends Partial<Sampling> {
  readonly maxTokens: number;
  /** From 0 to 2^31 - 1. */
  readonly seed?: number;
  readonly stopTokens?: readonly number[];
}

/**
 * A session with a server of the Tinker protocol: it trains adapters and samples, the client keeps the algorithm.
 *
 * Protocol: thinking-machines-lab/tinker, SDK 0.24 (plain JSON) by default, 0.25 with `codec: protobufCodec`.
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

  /** Opens a session, which lives by signs of life until `close`. @throws LaconicError `config_invalid` for the address, `api_refused`, `api_unavailable`, `aborted` */
  static async connect(options: TinkerClientOptions, signal?: AbortSignal): Promise<TinkerClient> {
    checkOptions(options);
    const transport = new Transport(options);
    const body = {
      tags: options.tags ?? [],
      user_metadata: {},
      sdk_version: transport.codec.sdkVersion,
      type: "create_session",
    };
    // A second session by a repeated request dies of silence.
    const { session_id } = await transport.exchange("create_session", body, replies.session, "always", signal);
    return new TinkerClient(session_id, transport, options);
  }

  /** Base models that the server trains. */
  capabilities(signal?: AbortSignal): Promise<CapabilitiesReply> {
    return this.transport.exchange("get_server_capabilities", null, replies.capabilities, "always", signal);
  }

  /** A fresh adapter on a base model. */
  async createModel(settings: AdapterSettings, signal?: AbortSignal): Promise<TrainingClient> {
    const { baseModel, rank, seed } = settings;
    const body = {
      session_id: this.sessionId,
      model_seq_id: this.#models++,
      base_model: baseModel,
      lora_config: { rank, ...(seed !== undefined && { seed }) },
      type: "create_model",
    };
    // A repeated request may make a model that nobody uses; it ends with the session.
    const { model_id } = await future(this.transport, "create_model", body, replies.model, "always", signal);
    return this.#training(model_id);
  }

  /** A model that the server has already, as after a restart of this process; its journal tells where to go on. */
  async resumeModel(modelId: string, signal?: AbortSignal): Promise<TrainingClient> {
    const model = await this.#training(modelId);
    await model.assertModelExists(signal);
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
   * Replies to a prompt of token ids. Asking twice costs twice, and gives the same replies where the server honours seeds.
   *
   * @param options.count - replies; 1 by default
   * @param options.promptLogProbs - asks for the prompt's log-probs too
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

  /** Ends the signs of life and every wait for a sample. Models are unloaded by `TrainingClient.unload`. */
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
      // Models of a session that the server does not know are gone, whoever has their names by now.
      this.#lost ??= lostError(`session ${this.sessionId}`, error);
      this.#options.onSilence?.(error);
    }
  }
}
