import type { Engine, OptimizerSettings, SampleRequest } from "@laconic/core";
import { samplingNames } from "@laconic/core/backends";
import { actingSampling, expectRefusedSampling, expectThat, type ConformanceCase } from "@laconic/core/testing";
import { type CaseKit, expectNear, pullUp, refusal } from "./engine-case.ts";

export function refusalCases({
  logProbsOf,
  modelCase,
  optimizer,
  requests,
  sequences,
}: CaseKit): readonly ConformanceCase<Engine>[] {
  return [
    modelCase("a non-finite gradient is refused with its position and changes nothing", async (model) => {
      const before = await logProbsOf(model);
      await model.forwardBackward(sequences, pullUp());
      const error = await refusal(
        "numeric_invalid",
        model.forwardBackward(sequences, (logProbs, rows) => {
          const gradient = new Float64Array(logProbs.values.length);
          const row = rows.indexOf(3);
          if (row >= 0) gradient[(logProbs.offsets[row] as number) + 2] = NaN;
          return gradient;
        }),
      );
      expectThat(error.detail["sequence"] === 3 && error.detail["token"] === 2, "sequence 3 and token 2 to be named");
      const { applied } = await model.optimStep(optimizer);
      expectThat(!applied, "nothing to be left to step on");
      expectThat((await logProbsOf(model)) === before, "weights to be unchanged");
    }),

    modelCase("a gradient of another length, and an objective that throws, are refused", async (model) => {
      await refusal(
        "input_invalid",
        model.forwardBackward(sequences, () => new Float64Array(1)),
      );
      const broken = new Error("the objective is broken");
      const match: unknown = await model
        .forwardBackward(sequences, () => {
          throw broken;
        })
        .catch((error: unknown) => error);
      expectThat(match === broken, "the objective's own error");
      const { applied } = await model.optimStep(optimizer);
      expectThat(!applied, "nothing to be left to step on");
    }),

    modelCase("invalid sample requests are refused by name, and the model stays usable", async (model) => {
      const request = requests[0] as SampleRequest;
      const bad: readonly [Partial<SampleRequest>, string][] = [
        [{ promptTokens: [] }, "empty"],
        [{ promptTokens: [1, 13] }, "13 at position 1"],
        [{ promptTokens: [-1] }, "-1 at position 0"],
        [{ promptTokens: [1.5] }, "1.5 at position 0"],
        [{ promptTokens: Array.from({ length: 48 }, () => 1) }, "48 tokens"],
        [{ sampling: { temperature: -1, maxTokens: 4 } }, "temperature"],
        [{ sampling: { temperature: NaN, maxTokens: 4 } }, "temperature"],
        [{ sampling: { temperature: 1, maxTokens: 0 } }, "maxTokens"],
        [{ sampling: { temperature: 1, maxTokens: 4, topP: 0 } }, "topP"],
        [{ sampling: { temperature: 1, maxTokens: 4, topK: 0.5 } }, "topK"],
        [{ sampling: { temperature: 1, maxTokens: 4, minP: 2 } }, "minP"],
        ...samplingNames.map((name): [Partial<SampleRequest>, string] => [
          { sampling: { temperature: 1, maxTokens: 4, [name]: NaN } },
          name,
        ]),
      ];
      for (const [change, reason] of bad) {
        const { message, detail } = await refusal(
          "input_invalid",
          model.sample([request, request, { ...request, ...change }]),
        );
        expectThat(message.includes(reason), `"${message}" to name ${reason}`);
        expectThat(detail["request"] === 2, "request 2 to be named");
      }
      expectThat((await model.sample([request])).length === 1, "a good request to be served after bad ones");
    }),

    modelCase("unsupported sampling is refused by name, and the rest is accepted", async (model) => {
      const request = requests[0] as SampleRequest;
      for (const [name, sampling] of actingSampling()) {
        const asked = { ...request, sampling: { ...sampling, maxTokens: 2 } };
        if (model.supports?.includes(name) ?? true)
          expectThat((await model.sample([asked])).length === 1, `${name} to be taken`);
        else expectRefusedSampling(await refusal("input_invalid", model.sample([asked])), name);
      }
    }),

    modelCase("invalid sequences are refused by name, before anything is added to the gradient", async (model) => {
      const good = { promptTokens: [1, 2], completionTokens: [3] };
      const bad = [
        [{ promptTokens: [1], completionTokens: [2, 99] }, "99 at position 1"],
        [{ promptTokens: [1, 13], completionTokens: [2] }, "13 at position 1"],
        [{ promptTokens: [], completionTokens: [2] }, "empty"],
        [{ promptTokens: [1], completionTokens: Array.from({ length: 60 }, () => 1) }, "61 tokens"],
        [{ ...good, temperature: -1 }, "temperature"],
      ] as const;
      for (const [sequence, reason] of bad)
        for (const call of [model.forward([good, sequence]), model.forwardBackward([good, sequence], pullUp())]) {
          const { message, detail } = await refusal("input_invalid", call);
          expectThat(message.includes(reason), `"${message}" to name ${reason}`);
          expectThat(detail["sequence"] === 1, "sequence 1 to be named");
        }
      expectThat(!(await model.optimStep(optimizer)).applied, "no gradient to have been added");

      await model.forwardBackward([good], pullUp());
      const { gradNorm } = await model.optimStep({ ...optimizer, learningRate: 1e-12 });
      await model.forwardBackward([good], pullUp());
      await refusal("input_invalid", model.forwardBackward([bad[0][0]], pullUp()));
      const retained = await model.optimStep(optimizer);
      expectNear(retained.gradNorm, gradNorm, 1e-4 * gradNorm, "the norm of the gradient added up before the refusal");
    }),

    modelCase("optimizer settings out of range are refused by name", async (model) => {
      const bad: readonly Partial<OptimizerSettings>[] = [{ learningRate: NaN }, { beta1: 1 }, { maxGradNorm: 0 }];
      for (const change of bad) {
        const { detail } = await refusal("config_invalid", model.optimStep({ ...optimizer, ...change }));
        expectThat(detail["key"] === Object.keys(change)[0], `${Object.keys(change)[0]} to be named`);
      }
    }),

    modelCase("disposed models refuse calls, and other models work", async (model, engine) => {
      const snapshot = await model.snapshot();
      await snapshot.dispose();
      await refusal("engine_failed", snapshot.forward(sequences));
      await logProbsOf(model);
      await model.dispose();
      await refusal("engine_failed", model.forward(sequences));
      await refusal(
        "model_unsupported",
        engine.createModel({ kind: "config", config: { model_type: "other" }, seed: 0 }),
      );
    }),
  ];
}
