import { raggedRow, type OptimizerSettings, type TrainableModel, type TrainingSequence } from "@laconic/core";
import type { Datum } from "../wire/datum.ts";
import type { ServerRecord } from "../engine/server-record.ts";
import { lossGradient, type QueuedDatum } from "./loss-gradient.ts";

/** Model of the test server. Gradients are computed at the step, when the number of sequences is known. */
export class ServedModel {
  readonly model: TrainableModel;
  readonly #reduction: ServerRecord["reduction"];
  #queued: QueuedDatum[] = [];
  #order: Promise<unknown> = Promise.resolve();

  constructor(model: TrainableModel, reduction: ServerRecord["reduction"]) {
    this.model = model;
    this.#reduction = reduction;
  }

  /** Runs a model's requests in order. */
  inOrder<T>(body: () => Promise<T>): Promise<T> {
    const next = this.#order.then(body);
    this.#order = next.catch(() => undefined);
    return next;
  }

  async forward(data: readonly Datum[]): Promise<number[][]> {
    const { logProbs } = await this.model.forward(data.map(sequenceOf));
    return data.map((_, row) => Array.from(raggedRow(logProbs, row)));
  }

  async forwardBackward(data: readonly Datum[], loss: string): Promise<number[][]> {
    const rows = await this.forward(data);
    const queued = data.map((datum) => ({ datum, loss }));
    // Invalid requests are refused now, not at the step.
    queued.forEach((item, row) => lossGradient(item, rows[row] ?? [], 1, this.#reduction));
    this.#queued.push(...queued);
    return rows;
  }

  async step(settings: OptimizerSettings): Promise<number> {
    const queued = this.#queued;
    this.#queued = [];
    if (queued.length > 0)
      await this.model.forwardBackward(
        queued.map(({ datum }) => sequenceOf(datum)),
        (logProbs, rows) => {
          const gradient = new Float64Array(logProbs.values.length);
          rows.forEach((row, i) =>
            gradient.set(
              lossGradient(queued[row] as QueuedDatum, raggedRow(logProbs, i), queued.length, this.#reduction),
              logProbs.offsets[i],
            ),
          );
          return gradient;
        },
      );
    return (await this.model.optimStep(settings)).gradNorm;
  }
}

/** All positions of a datum are predicted, including its prompt. */
function sequenceOf({ model_input, loss_fn_inputs }: Datum): TrainingSequence {
  const [first = 0] = model_input.chunks.flatMap(({ tokens }) => tokens);
  return { promptTokens: [first], completionTokens: loss_fn_inputs["target_tokens"]?.data ?? [] };
}
