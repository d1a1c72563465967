import type {
  ForwardOptions,
  PolicySnapshot,
  SampleRequest,
  SampleResult,
  SamplingName,
  SequenceLogProbs,
  TokenListener,
  TokenGradient,
  TrainableModel,
  TrainingSequence,
  Ragged,
  ValueGradient,
  ValueModel,
  ValueSequence,
} from "@laconic/core";
import {
  checkValueSequences,
  checkSampleRequests,
  checkTopLogProbs,
  checkTrainingSequences,
  kernelSampling,
} from "@laconic/core/backends";
import type { WeightsId } from "./hosted-model/model-types.ts";
import { ReplicatedModel } from "./replicas/replicated-model.ts";
import { SharedSampling } from "./replicas/shared-sampling.ts";

export class LocalModel extends ReplicatedModel implements TrainableModel {
  readonly supports: readonly SamplingName[] = kernelSampling;
  readonly #sampling = new SharedSampling(this.hosts, this.number);

  sample(requests: readonly SampleRequest[], onToken?: TokenListener): Promise<readonly SampleResult[]> {
    return this.#sample("live", requests, onToken);
  }

  forward(sequences: readonly TrainingSequence[], options: ForwardOptions = {}): Promise<SequenceLogProbs> {
    return this.#forward("live", sequences, options);
  }

  forwardBackward(sequences: readonly TrainingSequence[], tokenGradient: TokenGradient): Promise<SequenceLogProbs> {
    return this.order.alone(async () => {
      checkTrainingSequences(this.limits, sequences);
      return this.train(sequences, tokenGradient);
    });
  }

  snapshot(): Promise<PolicySnapshot> {
    return this.order.alone(async () => {
      const { snapshot, weightVersion } = await this.onEveryHost("snapshot");
      return {
        weightVersion,
        supports: this.supports,
        sample: (requests, onToken) => this.#sample(snapshot, requests, onToken),
        forward: (sequences, options = {}) => this.#forward(snapshot, sequences, options),
        dispose: () => this.order.alone(() => this.onEveryHost("disposeSnapshot", snapshot)),
      };
    });
  }

  #sample(
    weights: WeightsId,
    requests: readonly SampleRequest[],
    onToken: TokenListener | undefined,
  ): Promise<SampleResult[]> {
    return this.order.together(async () => {
      checkSampleRequests(this.limits, requests);
      return this.#sampling.sample(weights, requests, onToken);
    });
  }

  #forward(
    weights: WeightsId,
    sequences: readonly TrainingSequence[],
    options: ForwardOptions,
  ): Promise<SequenceLogProbs> {
    return this.order.alone(async () => {
      checkTrainingSequences(this.limits, sequences);
      checkTopLogProbs(options);
      return this.outputs(weights, sequences, options);
    });
  }
}

export class LocalValueModel extends ReplicatedModel implements ValueModel {
  get hasStoredHead(): boolean {
    return this.facts.hasStoredHead ?? false;
  }

  forward(sequences: readonly ValueSequence[]): Promise<Ragged> {
    return this.order.alone(async () => {
      checkValueSequences(this.limits, sequences);
      return (await this.outputs("live", sequences.map(asPredictions))).logProbs;
    });
  }

  forwardBackward(sequences: readonly ValueSequence[], valueGradient: ValueGradient): Promise<Ragged> {
    return this.order.alone(async () => {
      checkValueSequences(this.limits, sequences);
      return (await this.train(sequences.map(asPredictions), valueGradient)).logProbs;
    });
  }
}

/** The last valued token gets token 0 as successor, which is not read. */
function asPredictions({ tokens, from = tokens.length - 1 }: ValueSequence): TrainingSequence {
  return { promptTokens: tokens.slice(0, from + 1), completionTokens: [...tokens.slice(from + 1), 0] };
}
