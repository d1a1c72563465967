import { describe, expect, test } from "vitest";
import {
  LaconicError,
  randomFromState,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
} from "../index.ts";
import { languageModelCases, tableTokenizer, type ConformanceCase } from "./index.ts";

const tokenizer = tableTokenizer();

function randomPolicy(change: (completion: Completion, request: CompletionRequest) => Completion = (same) => same) {
  const model: LanguageModel = {
    id: "random-policy",
    async complete(request) {
      if (request.signal?.aborted) throw new LaconicError("aborted", "the request was aborted");
      const { maxTokens, stop = [] } = request.sampling;
      const random = randomFromState(request.random);
      const tokens: number[] = [];
      let finishReason: Completion["finishReason"] = "length";
      while (tokens.length < maxTokens && finishReason === "length") {
        tokens.push(random.uniform() < 0.1 ? tokenizer.endToken : random.integer(26));
        if (tokens.at(-1) === tokenizer.endToken) finishReason = "stop";
        if (stop.some((text) => tokenizer.decode(tokens).endsWith(text))) finishReason = "stop";
      }
      let text = tokenizer.decode(tokens);
      for (const end of stop) if (text.endsWith(end)) text = text.slice(0, -end.length);
      const completion: Completion = {
        text,
        finishReason,
        usage: { promptTokens: 2, completionTokens: tokens.length, counted: "model" },
        model: { id: "random-policy", weightVersion: 3 },
        trace: { promptTokens: [7, 8], tokens, logProbs: tokens.map(() => Math.log(1 / 27)) },
      };
      return change(completion, request);
    },
  };
  return model;
}

const cases = languageModelCases();

describe("a model that keeps the contract passes", () => {
  for (const item of cases) test(item.name, () => item.run(() => randomPolicy()));
});

test("creating the model may take time", () =>
  (cases[0] as ConformanceCase<LanguageModel>).run(async () => randomPolicy()));

const traced = (completion: Completion, change: Partial<NonNullable<Completion["trace"]>>): Completion =>
  completion.trace ? { ...completion, trace: { ...completion.trace, ...change } } : completion;

type Change = (completion: Completion, request: CompletionRequest) => Completion;

const breaches: readonly (readonly [string, string, Change])[] = [
  [
    "does not say which weights wrote",
    "has a name",
    (c) => ({ ...c, model: { id: "random-policy", weightVersion: NaN } }),
  ],
  ["counts half a token", "a completion is whole", (c) => ({ ...c, usage: { ...c.usage, promptTokens: 0.5 } })],
  ["ends for no known reason", "a completion is whole", (c) => ({ ...c, finishReason: "tired" as "stop" })],
  ["loses log-probs", "a completion is whole", (c) => traced(c, { logProbs: [] })],
  [
    "has a log-prob above 0",
    "a completion is whole",
    (c) => traced(c, { logProbs: c.trace?.tokens.map(() => 0.5) ?? [] }),
  ],
  ["loses the prompt's tokens", "a completion is whole", (c) => traced(c, { promptTokens: [7] })],
  ["traces a token it did not count", "a completion is whole", (c) => traced(c, { tokens: [1, 2, 3] })],
  ["writes on and on", "writes no more than maxTokens", (c) => ({ ...c, usage: { ...c.usage, completionTokens: 9 } })],
  [
    "keeps the stop text",
    "stop texts are not part",
    (c, { sampling }) => ({ ...c, text: c.text + (sampling.stop ?? []).join("") }),
  ],
  [
    "writes into the request",
    "a request is left as it was",
    (c, { sampling: { stop } }) => ((stop as string[] | undefined)?.push("more"), c),
  ],
];

test.each(breaches)("a model that %s fails", (_name, claim, change) => fails(claim, () => randomPolicy(change)));

const answering =
  (complete: (request: CompletionRequest, model: LanguageModel) => Promise<Completion>) => (): LanguageModel => {
    const model = randomPolicy();
    return { ...model, complete: (request) => complete(request, model) };
  };

test.each<readonly [string, string, () => LanguageModel]>([
  ["has no id", "has a name", () => ({ ...randomPolicy(), id: "" })],
  [
    "answers an aborted request",
    "an aborted request rejects",
    answering(({ prompt, sampling, random }, model) => model.complete({ prompt, sampling, random })),
  ],
  [
    "aborts with another error",
    "an aborted request rejects",
    answering(async ({ signal }) => {
      signal?.throwIfAborted();
      throw new Error("unreachable");
    }),
  ],
  [
    "is broken by an abort",
    "an aborted request leaves the model usable",
    () => {
      let broken = false;
      return answering(async (request, model) => {
        broken ||= request.signal?.aborted ?? false;
        if (broken) throw new LaconicError("aborted", "the connection is gone");
        return model.complete(request);
      })();
    },
  ],
  [
    "serves one request at a time",
    "many requests at once",
    () => {
      let busy = 0;
      return answering(async (request, model) => {
        busy += 1;
        await Promise.resolve();
        if (busy > 1) throw new Error("busy");
        busy -= 1;
        return model.complete(request);
      })();
    },
  ],
])("a model that %s fails", (_name, claim, create) => fails(claim, create));

async function fails(claim: string, create: () => LanguageModel): Promise<void> {
  const item = cases.find(({ name }) => name.startsWith(claim)) as ConformanceCase<LanguageModel>;
  await expect(item.run(create)).rejects.toThrow(Error);
}
