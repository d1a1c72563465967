import type {
  ForwardOptions,
  OptimizerResult,
  OptimizerSettings,
  PolicySnapshot,
  SampleRequest,
  SampleResult,
  SamplingName,
  SequenceLogProbs,
  TokenListener,
  TokenGradient,
  TrainableModel,
  TrainingSequence,
} from "@laconic/core";
import { checkSampleRequests, checkTopLogProbs, checkTrainingSequences, kernelSampling } from "@laconic/core/backends";
import type { WeightsId } from "./host/engine-host.ts";
import type { ReplicatedModel } from "./replicas/replicated-model.ts";
import { SharedSampling } from "./replicas/shared-sampling.ts";

/** A policy: weights that speak, and learn by the log-probs of what was said. */
export class LocalModel implements TrainableModel {
  readonly supports: readonly SamplingName[] = kernelSampling;
  readonly replicas: ReplicatedModel;
  readonly #sampling: SharedSampling;

  constructor(replicas: ReplicatedModel) {
    this.replicas = replicas;
    this.#sampling = new SharedSampling(replicas.hosts, replicas.number);
  }

  get id(): string {
    return this.replicas.id;
  }

  get parameters(): number {
    return this.replicas.facts.parameters;
  }

  get trainableParameters(): number {
    return this.replicas.facts.trainableParameters;
  }

  get contextLength(): number {
    return this.replicas.facts.limits.maxPositions;
  }

  get weightVersion(): number {
    return this.replicas.weightVersion;
  }

  sample(requests: readonly SampleRequest[], onToken?: TokenListener): Promise<readonly SampleResult[]> {
    return this.replicas.order.together(() => this.#sample("live", requests, onToken));
  }

  forward(sequences: readonly TrainingSequence[], options: ForwardOptions = {}): Promise<SequenceLogProbs> {
    return this.replicas.order.alone(() => this.#forward("live", sequences, options));
  }

  forwardBackward(sequences: readonly TrainingSequence[], tokenGradient: TokenGradient): Promise<SequenceLogProbs> {
    return this.replicas.order.alone(async () => {
      checkTrainingSequences(this.replicas.facts.limits, sequences);
      return this.replicas.forwardBackward(sequences, tokenGradient);
    });
  }

  optimStep(settings: OptimizerSettings): Promise<OptimizerResult> {
    return this.replicas.optimStep(settings);
  }

  snapshot(): Promise<PolicySnapshot> {
    const { order, hosts, number } = this.replicas;
    return order.alone(async () => {
      const copies = await Promise.all(hosts.map((host) => host.snapshot(number)));
      const { snapshot, weightVersion } = copies[0] as (typeof copies)[0];
      return {
        weightVersion,
        supports: this.supports,
        sample: (requests, onToken) => order.together(() => this.#sample(snapshot, requests, onToken)),
        forward: (sequences, options = {}) => order.alone(() => this.#forward(snapshot, sequences, options)),
        dispose: () =>
          order.alone(async () => {
            await Promise.all(hosts.map((host) => host.disposeSnapshot(number, snapshot)));
          }),
      };
    });
  }

  save(folder: string): Promise<readonly string[]> {
    return this.replicas.save(folder);
  }

  load(folder: string): Promise<void> {
    return this.replicas.load(folder);
  }

  dispose(): Promise<void> {
    return this.replicas.dispose();
  }

  async #sample(
    weights: WeightsId,
    requests: readonly SampleRequest[],
    onToken?: TokenListener,
  ): Promise<SampleResult[]> {
    checkSampleRequests(this.replicas.facts.limits, requests);
    return this.#sampling.sample(weights, requests, onToken);
  }

  async #forward(
    weights: WeightsId,
    sequences: readonly TrainingSequence[],
    options: ForwardOptions,
  ): Promise<SequenceLogProbs> {
    checkTrainingSequences(this.replicas.facts.limits, sequences);
    checkTopLogProbs(options);
    return this.replicas.forward(weights, sequences, options);
  }
}
