import type {
  OptimizerResult,
  OptimizerSettings,
  Ragged,
  TrainingSequence,
  ValueGradient,
  ValueModel,
  ValueSequence,
} from "@laconic/core";
import { checkValueSequences } from "@laconic/core/backends";
import type { ReplicatedModel } from "./replicas/replicated-model.ts";

/** Weights that value states, and learn by the error of their values. */
export class LocalValueModel implements ValueModel {
  readonly #replicas: ReplicatedModel;

  constructor(replicas: ReplicatedModel) {
    this.#replicas = replicas;
  }

  get id(): string {
    return this.#replicas.id;
  }

  get parameters(): number {
    return this.#replicas.facts.parameters;
  }

  get trainableParameters(): number {
    return this.#replicas.facts.trainableParameters;
  }

  get contextLength(): number {
    return this.#replicas.facts.limits.maxPositions;
  }

  get weightVersion(): number {
    return this.#replicas.weightVersion;
  }

  get hasStoredHead(): boolean {
    return this.#replicas.facts.hasStoredHead ?? false;
  }

  forward(sequences: readonly ValueSequence[]): Promise<Ragged> {
    const { order, facts } = this.#replicas;
    return order.alone(async () => {
      checkValueSequences(facts.limits, sequences);
      return (await this.#replicas.forward("live", sequences.map(asPredictions))).logProbs;
    });
  }

  forwardBackward(sequences: readonly ValueSequence[], valueGradient: ValueGradient): Promise<Ragged> {
    const { order, facts } = this.#replicas;
    return order.alone(async () => {
      checkValueSequences(facts.limits, sequences);
      return (await this.#replicas.forwardBackward(sequences.map(asPredictions), valueGradient)).logProbs;
    });
  }

  optimStep(settings: OptimizerSettings): Promise<OptimizerResult> {
    return this.#replicas.optimStep(settings);
  }

  save(folder: string): Promise<readonly string[]> {
    return this.#replicas.save(folder);
  }

  load(folder: string): Promise<void> {
    return this.#replicas.load(folder);
  }

  dispose(): Promise<void> {
    return this.#replicas.dispose();
  }
}

/**
 * Passes go over what tokens are predicted from. A valued token is one from which the next is predicted; behind the last one stands any
 * token, of which nothing is read.
 */
function asPredictions({ tokens, from = tokens.length - 1 }: ValueSequence): TrainingSequence {
  return { promptTokens: tokens.slice(0, from + 1), completionTokens: [...tokens.slice(from + 1), 0] };
}
