import { rm } from "node:fs/promises";
import {
  configError,
  type ForwardOptions,
  LaconicError,
  type OptimizerResult,
  type OptimizerSettings,
  type PolicySnapshot,
  randomFromSeed,
  randomFromState,
  type Sampler,
  type SampleRequest,
  type SampleResult,
  type SamplingName,
  type SequenceLogProbs,
  type TokenGradient,
  type TokenListener,
  type TrainableModel,
  type TrainingSequence,
} from "@laconic/core";
import { writing } from "@laconic/core/platform";
import type { Generation, PublishedWeights, SamplingServer } from "./servers/sampling-server.ts";
import { stopEnd } from "@laconic/core/backends";
import { optionCheck } from "@laconic/core/checks";
import type { ReplyJudge } from "./fleet-options.ts";
import type { Fleet } from "./fleet.ts";
import { checkRequests, checkStopText, supportedBy } from "./reply-checks.ts";
import { OwnLogProbs, type OwnRow } from "./own-log-probs.ts";
import { measureReply } from "./reply-gap.ts";
import { publishWeights, type PublishOptions } from "./publisher.ts";
import { probeServer, type ProbeOptions, type ServerRecord } from "./probe-server.ts";

/** Options of a model that samples on a fleet. */
export interface FleetModelOptions extends PublishOptions {
  /**
   * Source of reply log-probs. `server`: servers report the sampled distribution. `forward`: a local pass computes
   * them, for servers that report others (vLLM without `--logprobs-mode processed_logprobs`). Replies are checked
   * against the local pass in both cases. Default `server`.
   */
  readonly logProbs?: "server" | "forward";
}

const checkOptions = optionCheck<FleetModelOptions>()("fleetPolicy", "name folder folderAtServers logProbs");

interface Version {
  readonly version: number;
  readonly published: Promise<PublishedWeights>;
  users: number;
  prepared: boolean;
  /** The model was reloaded. */
  outdated: boolean;
}

/** Trains on a local engine and samples on a fleet. Weights are published once per version. */
export class FleetModel implements TrainableModel {
  readonly #local: TrainableModel;
  readonly #fleet: Fleet;
  readonly #options: FleetModelOptions;
  readonly #versions = new Set<Version>();
  readonly #logProbs = new WeakMap<Sampler, { readonly version: number; readonly rows: OwnLogProbs }>();
  #live: Version | null = null;
  #sleeping: Promise<void> | null = null;
  readonly #checkTokens: readonly number[];
  #publications = 0;

  /** @throws LaconicError `config_invalid` for a name that servers reject */
  constructor(local: TrainableModel, fleet: Fleet, options: FleetModelOptions) {
    checkOptions(options);
    if (!/^[\w.-]{1,100}$/u.test(options.name))
      throw configError(`name: expected letters, digits, ., _ and -, got "${options.name}"`);
    this.#local = local;
    this.#fleet = fleet;
    this.#options = options;
    const random = randomFromSeed("weights check");
    const length = Math.min(16, local.contextLength - 1);
    this.#checkTokens = Array.from({ length }, () => random.integer(fleet.vocabularySize));
  }

  get id(): string {
    return this.#local.id;
  }
  get weightVersion(): number {
    return this.#local.weightVersion;
  }
  get parameters(): number {
    return this.#local.parameters;
  }
  get trainableParameters(): number {
    return this.#local.trainableParameters;
  }
  get contextLength(): number {
    return this.#local.contextLength;
  }
  /** All active servers accept these and report their log-probs. */
  get supports(): readonly SamplingName[] {
    return supportedBy(this.#fleet, this.#options.logProbs === "forward");
  }

  async sample(requests: readonly SampleRequest[], onToken?: TokenListener): Promise<readonly SampleResult[]> {
    this.#check(requests);
    return this.#sampleOf(this.#current(), this.#local, requests, onToken);
  }

  forward(sequences: readonly TrainingSequence[], options?: ForwardOptions): Promise<SequenceLogProbs> {
    return this.#inOrder(() => this.#ownOf(this.#local).forward(sequences, options));
  }

  forwardBackward(sequences: readonly TrainingSequence[], tokenGradient: TokenGradient): Promise<SequenceLogProbs> {
    this.#sleeping ??= this.#fleet.sleep()?.finally(() => (this.#sleeping = null)) ?? null;
    return this.#inOrder(() => this.#local.forwardBackward(sequences, tokenGradient));
  }

  async optimStep(settings: OptimizerSettings): Promise<OptimizerResult> {
    const result = await this.#inOrder(() => this.#local.optimStep(settings));
    await this.#sweep();
    return result;
  }

  async snapshot(): Promise<PolicySnapshot> {
    const version = this.#current();
    version.users += 1;
    try {
      const [held] = await Promise.all([this.#local.snapshot(), version.published]);
      let open = true;
      return {
        weightVersion: held.weightVersion,
        sample: async (requests, onToken) => {
          this.#check(requests);
          if (!open) throw new LaconicError("engine_failed", "this snapshot was disposed");
          return this.#sampleOf(version, held, requests, onToken);
        },
        forward: (sequences, options) => this.#ownOf(held).forward(sequences, options),
        dispose: async () => {
          if (open) version.users -= 1;
          open = false;
          await held.dispose();
          await this.#sweep();
        },
      };
    } catch (error) {
      version.users -= 1;
      throw error;
    }
  }

  save(folder: string): Promise<readonly string[]> {
    return this.#inOrder(() => this.#local.save(folder));
  }

  async load(folder: string): Promise<void> {
    await this.#inOrder(() => this.#local.load(folder));
    this.#logProbs.delete(this.#local);
    if (this.#live) this.#live.outdated = true;
    await this.#sweep();
  }

  async dispose(): Promise<void> {
    for (const version of this.#versions) version.outdated = true;
    await this.#sweep();
    await this.#local.dispose();
  }

  async published(): Promise<PublishedWeights> {
    const version = this.#current();
    const weights = await version.published;
    await this.#prepare(version, weights);
    return weights;
  }

  /** Reloads the current weights on a server and probes it. @throws as `probeServer` */
  async probed(server: SamplingServer, options: Omit<ProbeOptions, "limit">): Promise<ServerRecord> {
    const version = this.#current();
    version.users += 1;
    const held = await this.#local.snapshot();
    try {
      const weights = await version.published;
      const limit = (): AbortSignal => this.#fleet.limit();
      // The server may hold other weights under this name.
      if (weights.kind === "adapter") await server.unload(weights.name, limit());
      return await probeServer(server, weights, held, { ...options, limit });
    } finally {
      version.users -= 1;
      await held.dispose();
      await this.#sweep();
    }
  }

  /** Keeps the order of calls while servers go to sleep. */
  #inOrder<T>(call: () => Promise<T>): Promise<T> {
    return this.#sleeping ? this.#sleeping.then(call) : call();
  }

  #check(requests: readonly SampleRequest[]): void {
    checkRequests(this.#fleet, requests, this.contextLength, this.#options.logProbs === "forward");
  }

  #current(): Version {
    const live = this.#live;
    if (live && live.version === this.weightVersion && !live.outdated) return live;
    const made: Version = {
      version: this.weightVersion,
      published: writing(this.#options.folder, () =>
        publishWeights(this.#local, this.#options, this.#publications++, this.#checkTokens),
      ),
      users: 0,
      prepared: false,
      outdated: false,
    };
    made.published.catch(() => {
      this.#versions.delete(made);
      if (this.#live === made) this.#live = null;
    });
    this.#versions.add(made);
    this.#live = made;
    return made;
  }

  async #prepare(version: Version, weights: PublishedWeights): Promise<void> {
    if (version.prepared) return;
    version.prepared = true;
    await this.#fleet.prepare(weights);
  }

  async #sampleOf(
    version: Version,
    sampler: Sampler,
    requests: readonly SampleRequest[],
    onToken: TokenListener | undefined,
  ): Promise<SampleResult[]> {
    version.users += 1;
    try {
      const weights = await version.published;
      void this.#prepare(version, weights);
      if (sampler.weightVersion !== version.version)
        throw new LaconicError("engine_failed", `the weights changed while version ${version.version} was sampled`);
      const results = await Promise.all(requests.map((request) => this.#reply(weights, request, this.#ownOf(sampler))));
      results.forEach(({ tokens, logProbs }, index) =>
        tokens.forEach((token, t) => onToken?.(index, { token, logProb: logProbs[t]! })),
      );
      return results;
    } finally {
      version.users -= 1;
      await this.#sweep();
    }
  }

  #ownOf(sampler: Sampler): OwnLogProbs {
    const cached = this.#logProbs.get(sampler);
    if (cached?.version === sampler.weightVersion) return cached.rows;
    const rows = new OwnLogProbs(sampler, sampler.weightVersion, () => this.#fleet.reportsRaw);
    this.#logProbs.set(sampler, { version: sampler.weightVersion, rows });
    return rows;
  }

  async #reply(weights: PublishedWeights, request: SampleRequest, ownLogProbs: OwnLogProbs): Promise<SampleResult> {
    const { promptTokens, sampling, stopTokens, stopSequences = [], stopTexts, random, signal } = request;
    const nothing = { promptTokens, tokens: [], logProbs: [], finishReason: "aborted" as const };
    if (signal?.aborted) return nothing;
    const room = this.contextLength - promptTokens.length;
    const asked: Generation = {
      promptTokens,
      sampling: { ...sampling, maxTokens: Math.min(sampling.maxTokens, room) },
      stopTokens,
      stopTexts: stopTexts?.texts.filter((text) => text !== "") ?? [],
      seed: randomFromState(random).integer(2 ** 31 - 1),
    };
    // Greedy replies have log-probs at temperature 1.
    const temperature = sampling.temperature || 1;
    const { vocabularySize, rawServers } = this.#fleet;
    let row: OwnRow | null = null;
    const judge: ReplyJudge = async (reply, { url, reportsUncut }) => {
      checkStopText(url, reply, request);
      row = await ownLogProbs.of({ promptTokens, completionTokens: reply.tokens, temperature });
      return measureReply(reply, row, asked, { reportsUncut, reportsRaw: rawServers.has(url), vocabularySize });
    };
    try {
      const reply = await this.#fleet.generate(weights, asked, signal, judge);
      const end = stopEnd(reply.tokens, stopSequences);
      const tokens = reply.tokens.slice(0, end ?? reply.tokens.length);
      const checked = row as unknown as OwnRow;
      ownLogProbs.remember({ promptTokens, completionTokens: tokens, temperature }, checked);
      const logProbs = this.#options.logProbs === "forward" ? [...checked.logProbs] : reply.logProbs;
      const finishReason = end === null ? reply.finishReason : "stop";
      return { promptTokens, tokens, logProbs: logProbs.slice(0, tokens.length), finishReason };
    } catch (error) {
      if (signal?.aborted) return nothing;
      throw error;
    }
  }

  async #sweep(): Promise<void> {
    const gone = [...this.#versions].filter(
      (version) => version.users === 0 && (version.outdated || version.version !== this.weightVersion),
    );
    for (const version of gone) this.#versions.delete(version);
    await Promise.all(
      gone.map(async ({ published }) => {
        const weights = await published.catch(() => null);
        if (!weights) return;
        await this.#fleet.retire(weights.name);
        await rm(weights.path, { recursive: true, force: true });
      }),
    );
  }
}

/**
 * Makes a policy of `@laconic/trainer` sample on a fleet.
 * @throws LaconicError `config_invalid` for a name that servers reject
 */
export function fleetPolicy<P extends { readonly model: TrainableModel }>(
  policy: P,
  fleet: Fleet,
  options: FleetModelOptions,
): Omit<P, "model"> & { readonly model: FleetModel } {
  return { ...policy, model: new FleetModel(policy.model, fleet, options) };
}
