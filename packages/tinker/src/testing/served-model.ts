import { raggedRow, type OptimizerSettings, type TrainableModel, type TrainingSequence } from "@laconic/core";
import type { Datum } from "../wire/datum.ts";
import type { ServerRecord } from "../engine/server-record.ts";
import { lossGradient, type QueuedDatum } from "./loss-gradient.ts";

/** A model of the test server: gradients are computed at the step, when it is known over how many sequences. */
export class ServedModel {
  readonly model: TrainableModel;
  readonly #reduction: ServerRecord["reduction"];
  #queued: QueuedDatum[] = [];
  #order: Promise<unknown> = Promise.resolve();

  constructor(model: TrainableModel, reduction: ServerRecord["reduction"]) {
    this.model = model;
    this.#reduction = reduction;
  }

  /** Requests of a model run one after the other. */
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
    // What cannot be computed is refused now, not at the step.
    queued.forEach((each, row) => lossGradient(each, rows[row] ?? [], 1, this.#reduction));
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

/** Every position of a datum is predicted, its prompt's too. */
function sequenceOf({ model_input, loss_fn_inputs }: Datum): TrainingSequence {
  const [first = 0] = model_input.chunks.flatMap(({ tokens }) => tokens);
  return { promptTokens: [first], completionTokens: loss_fn_inputs["target_tokens"]?.data ?? [] };
}
