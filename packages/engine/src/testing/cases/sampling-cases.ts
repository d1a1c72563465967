import { randomFromSeed, raggedRow } from "@laconic/core";
import type { DrawnToken, Engine, SampleRequest, SampleResult } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";
import { type CaseKit, expectNear, expectReplies, samplingMargin } from "./engine-case.ts";

export function samplingCases(kit: CaseKit): readonly ConformanceCase<Engine>[] {
  const { modelCase, wholeCase, requests, sameReplies } = kit;
  return [
    modelCase("a listener receives every token of every reply, in order, with its log-prob", async (model) => {
      const received = requests.map((): { tokens: number[]; logProbs: number[] } => ({ tokens: [], logProbs: [] }));
      const replies = await model.sample(requests, (request, { token, logProb }) => {
        received[request]?.tokens.push(token);
        received[request]?.logProbs.push(logProb);
      });
      replies.forEach(({ tokens, logProbs }, i) => {
        expectThat(
          received[i]?.tokens.join() === tokens.join(),
          `tokens ${tokens.join()}, received ${received[i]?.tokens.join()}`,
        );
        expectThat(received[i]?.logProbs.join() === logProbs.join(), "the same log-probs");
      });
    }),

    modelCase("the same requests give the same replies, alone or in a batch", async (model) => {
      const [first, again] = [await model.sample(requests), await model.sample(requests)];
      expectThat(sameReplies(first, again), "two equal batches to give equal replies");
      for (const [i, request] of requests.entries()) {
        const [alone] = await model.sample([request]);
        expectThat(
          alone?.tokens.join() === first[i]?.tokens.join(),
          `request ${i} to give the same reply alone as in the batch`,
        );
      }
    }),

    modelCase("a reply ends at a stop token or at its limit, and reports which", async (model) => {
      for (const [i, { tokens, finishReason }] of (await model.sample(requests)).entries()) {
        const stopped = tokens.at(-1) === 0;
        expectThat(
          tokens.length > 0 && tokens.length <= 4 + i,
          `reply ${i} to have 1 to ${4 + i} tokens, got ${tokens.length}`,
        );
        expectThat(!tokens.slice(0, -1).includes(0), `reply ${i} not to continue after a stop token`);
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
          expectNear(logProb, raggedRow(logProbs, i)[t] as number, samplingMargin, `log-prob ${i},${t}`),
        );
      });
    }),

    modelCase("calls made while others run join them and give the same replies", async (model, engine) => {
      const before = await model.sample(requests);
      const joined = await Promise.all(
        requests.map(async (request, i) => {
          for (let turn = 0; turn < 3 * i; turn++) await new Promise((resolve) => setImmediate(resolve));
          const [reply] = await model.sample([request]);
          return reply as SampleResult;
        }),
      );
      expectReplies(kit, engine, joined, before);
    }),

    modelCase("an aborted request ends with its tokens so far, and the others continue", async (model, engine) => {
      const long = requests.map((request) => ({
        ...request,
        sampling: { temperature: 1, maxTokens: 20 },
        stopTokens: [],
      }));
      const free = await model.sample(long);
      const controller = new AbortController();
      const aborted = long.map((request, i) => (i === 1 ? { ...request, signal: controller.signal } : request));
      const replies = await model.sample(aborted, (request, _drawn) => request === 1 && controller.abort());
      const [cut, whole] = [replies[1] as SampleResult, free[1] as SampleResult];
      // A threaded engine may finish before the abort arrives.
      expectThat(
        (cut.finishReason === "aborted") === cut.tokens.length < 20,
        `a reply of ${cut.tokens.length} tokens not to finish by ${cut.finishReason}`,
      );
      expectThat(
        cut.tokens.join() === whole.tokens.slice(0, cut.tokens.length).join(),
        "the beginning of the whole reply",
      );
      const others = (all: readonly SampleResult[]): SampleResult[] => all.filter((_, i) => i !== 1);
      expectReplies(kit, engine, others(replies), others(free));
      const [never] = await model.sample([{ ...(long[0] as SampleRequest), signal: AbortSignal.abort() }]);
      expectThat(never?.finishReason === "aborted", "a request aborted before it was made to end by aborted");
    }),

    modelCase("turns of one conversation reuse its cached prefix, with equal replies", async (model, engine) => {
      const sampling = { temperature: 1, maxTokens: 5 };
      const turns = async (conversation?: string): Promise<SampleResult[]> => {
        const replies: SampleResult[] = [];
        let promptTokens: readonly number[] = Array.from({ length: 20 }, (_, i) => 1 + ((5 * i) % 12));
        for (const turn of [0, 1, 2]) {
          const random = randomFromSeed(turn).state();
          const request = {
            promptTokens,
            sampling,
            stopTokens: [],
            random,
            ...(conversation !== undefined && { conversation }),
          };
          const [reply] = await model.sample([request]);
          replies.push(reply as SampleResult);
          promptTokens = [...promptTokens, ...(reply?.tokens ?? []), 3, 1 + turn];
        }
        return replies;
      };
      expectReplies(kit, engine, await turns("one"), await turns());
    }),

    ...wholeCase("log-probs at temperature 1 are the model's and come with the likeliest tokens", async (model) => {
      const asking = requests.map((request, i) => ({ ...request, topLogProbs: i % 3 }));
      const received: (DrawnToken | undefined)[][] = requests.map(() => []);
      const replies = await model.sample(asking, (request, drawn) => received[request]?.push(drawn));
      const { logProbs } = await model.forward(
        replies.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens })),
      );
      replies.forEach(({ tokens, atOne = [] }, i) => {
        expectThat(atOne.length === tokens.length, `an entry for each token of reply ${i}`);
        atOne.forEach(({ logProb, top }, t) => {
          expectNear(logProb, raggedRow(logProbs, i)[t] as number, samplingMargin, `log-prob ${i},${t}`);
          expectThat(top.length === i % 3, `${i % 3} likeliest tokens, got ${top.length}`);
          const own = top.find(({ token }) => token === tokens[t]);
          expectThat(own === undefined || own.logProb === logProb, `the drawn token's own log-prob at ${i},${t}`);
          expectThat(
            top.every((item, k) => item.logProb <= (top[k - 1]?.logProb ?? 0)),
            `descending log-probs at ${i},${t}`,
          );
          expectThat(
            JSON.stringify(received[i]?.[t]?.atOne) === JSON.stringify({ logProb, top }),
            `the listener to receive ${i},${t}`,
          );
        });
      });
    }),

    ...wholeCase("truncation to one token gives the greedy one", async (model) => {
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
}
