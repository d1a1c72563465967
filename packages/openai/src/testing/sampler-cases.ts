import { randomFromSeed, raggedRow, type SampleRequest, type SampleResult, type TrainableModel } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";

/** Sampled model, new for each case: 13 tokens, at least 48 positions. */
export interface SampledModel {
  readonly model: TrainableModel;
  /** Versions that can be sampled concurrently: 1 if the newest replaces the others. */
  readonly versions: number;
  close(): Promise<void>;
}

const prompts = [[1, 2, 3], [1, 2, 3], [4], [5, 6, 7, 8, 9, 10], [12, 1]];

function requestsAt(temperature: number, maxTokens = 6): SampleRequest[] {
  return prompts.map((promptTokens, i) => ({
    promptTokens,
    sampling: { temperature, maxTokens },
    stopTokens: [0],
    random: randomFromSeed(`${temperature} ${i}`).state(),
  }));
}

/** Conformance cases for samplers of training replies, local or on servers. */
export const samplerCases: readonly ConformanceCase<SampledModel>[] = [
  ...[1, 0.5, 2, 0].map((temperature) =>
    sampled(
      `log-probs are those of the distribution that was sampled, at temperature ${temperature}`,
      async ({ model }) => {
        const replies = await model.sample(requestsAt(temperature));
        await expectOwn(model, replies, temperature);
      },
    ),
  ),

  sampled("a reply ends at a stop token, which is included, or at its limit, and reports which", async ({ model }) => {
    const replies = await model.sample(requestsAt(1, 12));
    for (const { tokens, finishReason } of replies) {
      const stopped = tokens.at(-1) === 0;
      expectThat(!tokens.slice(0, -1).includes(0), "no token after a stop token");
      expectThat(finishReason === (stopped ? "stop" : "length"), `a reply not to finish by ${finishReason}`);
      expectThat(stopped || tokens.length === 12, `a reply of ${tokens.length} tokens to be complete`);
    }
  }),

  sampled("replies come in the order of their requests", async ({ model }) => {
    const requests = requestsAt(0);
    const replies = await model.sample(requests);
    expectThat(replies.length === requests.length, "a reply for each request");
    replies.forEach(({ promptTokens }, i) =>
      expectThat(promptTokens.join() === requests[i]?.promptTokens.join(), `reply ${i} to be of prompt ${i}`),
    );
  }),

  sampled("a stop sequence ends a reply and is kept", async ({ model }) => {
    const [request] = requestsAt(0, 8) as [SampleRequest];
    const [free] = await model.sample([{ ...request, stopTokens: [] }]);
    const stop = (free as SampleResult).tokens.slice(1, 3);
    const [reply] = await model.sample([{ ...request, stopTokens: [], stopSequences: [stop] }]);
    const { tokens = [], finishReason } = reply ?? {};
    expectThat(tokens.slice(-2).join() === stop.join(), `${tokens.join()} to end with ${stop.join()}`);
    expectThat(finishReason === "stop", "the reply to finish by stop");
    expectThat(tokens.length <= 3, "the first time that it was written");
  }),

  sampled("an aborted request ends as aborted, and the others continue", async ({ model }) => {
    const replies = await model.sample(
      requestsAt(1).map((request, i) => (i === 1 ? { ...request, signal: AbortSignal.abort() } : request)),
    );
    replies.forEach(({ finishReason }, i) =>
      expectThat((finishReason === "aborted") === (i === 1), `request ${i} not to finish by ${finishReason}`),
    );
  }),

  sampled("an invalid prompt is rejected before it is sent", async ({ model }) => {
    const [request] = requestsAt(1) as [SampleRequest];
    for (const promptTokens of [[], [1, 99]]) {
      const refused = await model.sample([{ ...request, promptTokens }]).then(
        () => false,
        () => true,
      );
      expectThat(refused, `the prompt [${promptTokens.join()}] to be refused`);
    }
  }),

  sampled("after a step the live weights are the new ones, and a snapshot's stay", async ({ model, versions }) => {
    const snapshot = versions > 1 ? await model.snapshot() : null;
    const before = model.weightVersion;
    const first = await model.sample(requestsAt(1));
    await model.forwardBackward(
      first.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens })),
      ({ values }) => values.map(() => -1),
    );
    await model.optimStep({
      learningRate: 0.1,
      beta1: 0.9,
      beta2: 0.95,
      epsilon: 1e-8,
      weightDecay: 0,
      maxGradNorm: 1,
    });
    expectThat(model.weightVersion === before + 1, "one more step after the weights");
    await expectOwn(model, await model.sample(requestsAt(1)), 1);
    if (!snapshot) return;
    expectThat(snapshot.weightVersion === before, "the snapshot to have its own version");
    const old = await snapshot.sample(requestsAt(1));
    await expectOwn(snapshot, old, 1);
    const { logProbs } = await model.forward(sequencesOf(old, 1));
    const moved = old.some(({ logProbs: own }, i) =>
      own.some((value, t) => Math.abs(value - (raggedRow(logProbs, i)[t] as number)) > 1e-3),
    );
    expectThat(moved, "the new weights to differ from the snapshot's");
    await snapshot.dispose();
  }),
];

function sampled(name: string, body: (made: SampledModel) => Promise<void>): ConformanceCase<SampledModel> {
  return {
    name,
    async run(create) {
      const made = await create();
      try {
        await body(made);
      } finally {
        await made.close();
      }
    },
  };
}

async function expectOwn(
  sampler: Pick<TrainableModel, "forward">,
  replies: readonly SampleResult[],
  temperature: number,
): Promise<void> {
  const { logProbs } = await sampler.forward(sequencesOf(replies, temperature === 0 ? 1 : temperature));
  replies.forEach((reply, i) =>
    reply.logProbs.forEach((value, t) => {
      const expected = raggedRow(logProbs, i)[t] as number;
      expectThat(Math.abs(value - expected) <= 1e-4, `log-prob ${i},${t} to be ${expected}, got ${value}`);
    }),
  );
}

function sequencesOf(replies: readonly SampleResult[], temperature: number) {
  return replies.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens, temperature }));
}
