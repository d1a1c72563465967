import type { LanguageModel } from "@laconic/core";
import type { TokenCounts } from "@laconic/core/ledger";
import { completionHandler, type CompletionHandler } from "@laconic/serve";
import { expect, test } from "vitest";
import { anthropicOf, openAiOf } from "./surface-cases.ts";
import { scripted, tokenizer } from "./tiny-gateway.ts";
import { serving } from "./tiny-server.ts";

function handlerOf(counts: TokenCounts): CompletionHandler {
  const { complete, id } = scripted(() => "ok");
  const policy: LanguageModel = {
    id,
    complete: async (request) => {
      const { trace: _untraced, ...completion } = await complete(request);
      return { ...completion, usage: { ...counts, counted: "server" } };
    },
  };
  return completionHandler(serving({ policy, tokenizer, contextLength: 4096, maxBodyBytes: 1 << 20 }, () => undefined));
}

const thoughtful = {
  promptTokens: 40,
  cachedTokens: 30,
  cacheWriteTokens: 4,
  completionTokens: 507,
  reasoningTokens: 500,
};

test.for([
  [thoughtful, { cached_tokens: 30, cache_write_tokens: 4 }, { reasoning_tokens: 500 }],
  [{ promptTokens: 40, completionTokens: 7 }, undefined, undefined],
] as const)("every interface reports the model's token kinds: %j", async ([counts, prompt, completion]) => {
  const handler = handlerOf(counts);
  const openai = openAiOf(handler);
  const { promptTokens: p, completionTokens: c } = counts;
  const messages = [{ role: "user" as const, content: "say" }];
  const chat = await openai.chat.completions.create({ model: "tiny", messages, n: 2 });
  expect(chat.usage).toEqual({
    prompt_tokens: p,
    completion_tokens: 2 * c,
    total_tokens: p + 2 * c,
    ...(prompt && { prompt_tokens_details: prompt }),
    ...(completion && { completion_tokens_details: { reasoning_tokens: 2 * completion.reasoning_tokens } }),
  });
  const text = await openai.completions.create({ model: "tiny", prompt: "say" });
  expect(text.usage).toMatchObject({ prompt_tokens: p, completion_tokens: c, total_tokens: p + c });
  const response = await openai.responses.create({ model: "tiny", input: "say" });
  expect(response.usage).toEqual({
    input_tokens: p,
    input_tokens_details: prompt ?? { cached_tokens: 0 },
    output_tokens: c,
    output_tokens_details: completion ?? { reasoning_tokens: 0 },
    total_tokens: p + c,
  });
  const anthropic = anthropicOf(handler);
  const { usage } = await anthropic.messages.create({ model: "tiny", max_tokens: 9, messages });
  expect(usage).toEqual({
    input_tokens: prompt ? 6 : 40,
    output_tokens: c,
    ...(prompt && { cache_read_input_tokens: 30, cache_creation_input_tokens: 4 }),
  });
});
