import { LaconicError } from "../errors.ts";
import {
  finishReasons,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type Prompt,
} from "../language-model.ts";
import { randomFromSeed } from "../numeric/random.ts";
import { isConsistentUsage } from "../ledger/token-usage.ts";
import { expectThat, type ConformanceCase } from "./conformance.ts";
import { actingSampling, expectRefusedSampling } from "./sampling-cases.ts";

/** Conformance cases of language models. @param prompt - a prompt that the model supports */
export function languageModelCases(
  prompt: Prompt = { kind: "text", text: "hi" },
): readonly ConformanceCase<LanguageModel>[] {
  const request = (seed: number, extra: Partial<CompletionRequest> = {}): CompletionRequest => ({
    prompt,
    sampling: { temperature: 1, maxTokens: 8 },
    random: randomFromSeed(seed).state(),
    ...extra,
  });

  return [
    {
      name: "has a name, and a completion says which model and weights wrote it",
      async run(create) {
        const model = await create();
        const { model: identity } = await model.complete(request(1));
        expectThat(model.id !== "" && identity.id !== "", "model and completion to have an id");
        expectCount(identity.weightVersion, "weightVersion");
      },
    },
    {
      name: "a completion is whole: text, finish reason and token counts",
      async run(create) {
        expectWhole(await (await create()).complete(request(2)), 8);
      },
    },
    {
      name: "writes no more than maxTokens, the end token included",
      async run(create) {
        expectWhole(await (await create()).complete(request(3, { sampling: { temperature: 1, maxTokens: 1 } })), 1);
      },
    },
    {
      name: "takes the parameters of sampling that it supports, and refuses the others by name",
      async run(create) {
        const model = await create();
        for (const [name, sampling] of actingSampling()) {
          const asked = request(14, { sampling: { ...sampling, maxTokens: 8 } });
          if (model.supports?.includes(name) ?? true) expectWhole(await model.complete(asked), 8);
          else expectRefusedSampling((await settle(model.complete(asked))).error, name);
        }
      },
    },
    {
      name: "stop texts are not part of the text",
      async run(create) {
        const model = await create();
        const { text } = await model.complete(request(4));
        const stop = Array.from(text)[0] ?? "\n";
        const stopped = await model.complete(request(4, { sampling: { temperature: 1, maxTokens: 8, stop: [stop] } }));
        expectThat(!stopped.text.includes(stop), `a text without ${JSON.stringify(stop)}, got ${stopped.text}`);
      },
    },
    {
      name: "many requests at once each get a whole answer",
      async run(create) {
        const model = await create();
        const completions = await Promise.all([5, 6, 7, 8].map((seed) => model.complete(request(seed))));
        for (const completion of completions) expectWhole(completion, 8);
      },
    },
    {
      name: "a request is left as it was",
      async run(create) {
        const before = JSON.stringify(request(9, { sampling: { temperature: 0.5, maxTokens: 4, stop: ["\n"] } }));
        const frozen = JSON.parse(before) as CompletionRequest;
        await (await create()).complete(deepFreeze(frozen));
        expectThat(JSON.stringify(frozen) === before, "the request unchanged");
      },
    },
    {
      name: "an aborted request rejects as aborted and returns no text",
      async run(create) {
        const outcome = await settle((await create()).complete(request(10, { signal: AbortSignal.abort() })));
        expectThat(outcome.error !== undefined, "an aborted request to reject");
        expectAborted(outcome.error);
      },
    },
    {
      name: "a request aborted under way ends whole or as aborted",
      async run(create) {
        const controller = new AbortController();
        const pending = settle((await create()).complete(request(11, { signal: controller.signal })));
        controller.abort();
        const { completion, error } = await pending;
        if (completion) expectWhole(completion, 8);
        else expectAborted(error);
      },
    },
    {
      name: "an aborted request leaves the model usable",
      async run(create) {
        const model = await create();
        await settle(model.complete(request(12, { signal: AbortSignal.abort() })));
        expectWhole(await model.complete(request(13)), 8);
      },
    },
  ];
}

function expectWhole({ text, finishReason, usage, trace }: Completion, maxTokens: number): void {
  expectThat(typeof text === "string", "a text");
  expectThat(finishReasons.includes(finishReason), `a known finish reason, got ${finishReason}`);
  expectThat(isConsistentUsage(usage), `whole counts whose parts do not exceed them, got ${JSON.stringify(usage)}`);
  expectThat(usage.completionTokens <= maxTokens, `at most ${maxTokens} tokens, got ${usage.completionTokens}`);
  if (!trace) return;
  const { tokens, logProbs, promptTokens } = trace;
  expectThat(tokens.length === usage.completionTokens, `${usage.completionTokens} traced tokens, got ${tokens.length}`);
  expectThat(logProbs.length === tokens.length, `${tokens.length} log-probs, got ${logProbs.length}`);
  expectThat(promptTokens.length === usage.promptTokens, "as many traced prompt tokens as usage says");
  for (const token of [...promptTokens, ...tokens]) expectCount(token, "a token id");
  for (const logProb of logProbs)
    expectThat(Number.isFinite(logProb) && logProb <= 1e-6, `finite log-probs of at most 0, got ${logProb}`);
}

function expectCount(value: number, name: string): void {
  expectThat(Number.isInteger(value) && value >= 0, `${name} to be a whole number from 0, got ${value}`);
}

function expectAborted(error: unknown): void {
  expectThat(LaconicError.is(error) && error.code === "aborted", `LaconicError "aborted", got ${String(error)}`);
}

async function settle(pending: Promise<Completion>): Promise<{ completion?: Completion; error?: unknown }> {
  try {
    return { completion: await pending };
  } catch (error) {
    return { error };
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    for (const part of Object.values(value)) deepFreeze(part);
    Object.freeze(value);
  }
  return value;
}
