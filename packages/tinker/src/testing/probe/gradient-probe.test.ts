import { expect, test } from "vitest";
import type { TrainingClient } from "../../client/training-client.ts";
import type { Datum } from "../../wire/datum.ts";
import { probeGradient, probeTexts, type Scratch } from "./gradient-probe.ts";

const texts = probeTexts(13);
const look = texts.short.length - 2;
/** Small beside the epsilon of trial steps, 100. */
const dLogProb = 0.5;
/** A step of 100 at that epsilon turns the wave by three turns and a little: the log-prob looks hardly moved. */
const frequency = (6 * Math.PI + 0.002) / ((100 * dLogProb) / (dLogProb + 100));

/** One weight; a log-prob that is a wave of it, so that large steps come out at any rise. Adds losses up. */
const waving: Scratch = (body) => {
  let index = 0;
  let gradient = 0;
  const logProb = (): number => -3 + 2 * Math.sin(frequency * index);
  const reply = (data: readonly Datum[]): unknown => ({
    loss_fn_outputs: data.map(({ loss_fn_inputs: { target_tokens } }) => ({
      logprobs: { data: (target_tokens?.data ?? []).map((_, t) => (t === look ? logProb() : -1)) },
    })),
    metrics: {},
  });
  const model = {
    forward: async (data: readonly Datum[]) => reply(data),
    async forwardBackward(data: readonly Datum[]) {
      for (const { loss_fn_inputs: inputs } of data) {
        const ratio = Math.exp(logProb() - (inputs["logprobs"]?.data[look] ?? NaN));
        gradient += dLogProb * ratio * (inputs["advantages"]?.data[look] ?? NaN);
      }
      return reply(data);
    },
    async optimStep({ learningRate, epsilon }: { learningRate: number; epsilon: number }) {
      index += (learningRate * gradient) / (Math.abs(gradient) + epsilon);
      gradient = 0;
      return {};
    },
  };
  return body(model as unknown as TrainingClient);
};

test("trial steps grow from below: a step far too large is not taken for a small one", async () => {
  // What the first trial must not be.
  expect(2 * Math.sin((frequency * (100 * dLogProb)) / (dLogProb + 100))).toBeCloseTo(0.004, 6);
  expect(await probeGradient(waving, texts)).toEqual({
    reduction: { sequences: "sum", positions: "sum" },
    gradNorm: null,
    optimizer: "asked",
    clips: false,
    clipsItself: false,
  });
});
