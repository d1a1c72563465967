import { randomFromSeed, raggedRow, type Engine, type SampleRequest } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";
import { expectNear, modelCase, requests, sameReplies } from "./engine-case.ts";

export const samplingCases: readonly ConformanceCase<Engine>[] = [
  modelCase("a listener hears every token of every reply, in order, with its log-prob", async (model) => {
    const heard = requests.map((): { tokens: number[]; logProbs: number[] } => ({ tokens: [], logProbs: [] }));
    const replies = await model.sample(requests, (request, { token, logProb }) => {
      heard[request]?.tokens.push(token);
      heard[request]?.logProbs.push(logProb);
    });
    replies.forEach(({ tokens, logProbs }, i) => {
      expectThat(
        heard[i]?.tokens.join() === tokens.join(),
        `tokens ${tokens.join()}, heard ${heard[i]?.tokens.join()}`,
      );
      expectThat(heard[i]?.logProbs.join() === logProbs.join(), "the same log-probs");
    });
  }),

  modelCase("the same requests give the same replies, alone or in a batch", async (model) => {
    const [first, again] = [await model.sample(requests), await model.sample(requests)];
    expectThat(sameReplies(first, again), "two equal batches to give equal replies");
    for (const [i, request] of requests.entries()) {
      const [alone] = await model.sample([request]);
      expectThat(
        alone?.tokens.join() === first[i]?.tokens.join(),
        `request ${i} to say the same alone as in the batch`,
      );
    }
  }),

  modelCase("a reply ends at a stop token or at its ceiling, and says which", async (model) => {
    for (const [i, { tokens, finishReason }] of (await model.sample(requests)).entries()) {
      const stopped = tokens.at(-1) === 0;
      expectThat(
        tokens.length > 0 && tokens.length <= 4 + i,
        `reply ${i} to have 1 to ${4 + i} tokens, got ${tokens.length}`,
      );
      expectThat(!tokens.slice(0, -1).includes(0), `reply ${i} to go on after no stop token`);
      expectThat(
        finishReason === (stopped ? "stop" : "length"),
        `reply ${i} to finish by ${stopped ? "stop" : "length"}`,
      );
    }
  }),

  modelCase("a stop sequence ends a reply and is kept", async (model) => {
    const request: SampleRequest = {
      promptTokens: [5, 6],
      sampling: { temperature: 1, maxTokens: 8 },
      stopTokens: [],
      random: randomFromSeed("stop").state(),
    };
    const [free] = await model.sample([request]);
    const [second, third] = [free?.tokens[1] as number, free?.tokens[2] as number];
    const [stopped] = await model.sample([{ ...request, stopSequences: [[second, third]] }]);
    expectThat(stopped?.tokens.join() === free?.tokens.slice(0, 3).join(), "the reply to end with its stop sequence");
    expectThat(stopped?.finishReason === "stop", "the reply to finish by stop");
  }),

  modelCase("the sampler's log-probs are those of the training pass", async (model) => {
    const samples = await model.sample(requests);
    const { logProbs } = await model.forward(
      samples.map((sample, i) => ({
        promptTokens: sample.promptTokens,
        completionTokens: sample.tokens,
        temperature: requests[i]?.sampling.temperature ?? 1,
      })),
    );
    samples.forEach((sample, i) => {
      sample.logProbs.forEach((logProb, t) =>
        expectNear(logProb, raggedRow(logProbs, i)[t] as number, 1e-4, `log-prob ${i},${t}`),
      );
    });
  }),

  modelCase("one kept token is the greedy one, however it is cut", async (model) => {
    const [request] = requests as readonly [SampleRequest];
    const cuts: readonly Partial<SampleRequest["sampling"]>[] = [{ topK: 1 }, { topP: 1e-6 }, { minP: 1 }];
    const replies = await model.sample(
      [{ temperature: 0 }, ...cuts].map((cut) => ({
        ...request,
        sampling: { temperature: 0.9, maxTokens: 4, ...cut },
      })),
    );
    for (const [i, { tokens }] of replies.entries())
      expectThat(tokens.join() === replies[0]?.tokens.join(), `cut ${i} to give the greedy reply`);
  }),
];
