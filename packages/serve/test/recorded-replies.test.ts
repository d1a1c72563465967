import type { LanguageModel } from "@laconic/core";
import { readFinishReason } from "@laconic/core/wire";
import { recordedReplies, type RecordedReply } from "@laconic/core/testing";
import { completionHandler } from "@laconic/serve";
import { expect, test } from "vitest";
import { openAiOf } from "./surface-cases.ts";
import { startGateway, tokenizer } from "./tiny-gateway.ts";
import { serving } from "./tiny-server.ts";

type Whole = Exclude<RecordedReply["reading"], { readonly error: unknown }>;

const readings = recordedReplies.flatMap(({ reading }) => ("error" in reading ? [] : [reading]));
const written = [...new Map(readings.map((reading) => [`${reading.finishReason} ${reading.text}`, reading])).values()];

const says = ({ text, finishReason }: Whole): LanguageModel => ({
  id: "recorded",
  complete: async () => ({
    text,
    finishReason,
    usage: { promptTokens: 1, completionTokens: 1, counted: "model" },
    model: { id: "recorded", weightVersion: 0 },
  }),
});

const chat = { model: "tiny", messages: [{ role: "user" as const, content: "2 + 2" }] };
const endings = {
  stop: ["completed", null, "end_turn"],
  length: ["incomplete", { reason: "max_output_tokens" }, "max_tokens"],
  refusal: ["incomplete", { reason: "content_filter" }, "refusal"],
  unknown: ["incomplete", null, null],
} as const;

test.each(written)("writes the reply that it read: $finishReason, $text", async (reading) => {
  const { text, finishReason } = reading;
  const change = { policy: says(reading), tokenizer, contextLength: 4096 };
  const handler = completionHandler(serving(change, () => undefined));
  const client = openAiOf(handler);
  const whole = (await client.chat.completions.create(chat)).choices[0];
  const chunks: unknown[] = [];
  let streamed = "";
  for await (const { choices } of await client.chat.completions.create({ ...chat, stream: true })) {
    streamed += choices[0]?.delta.content ?? "";
    chunks.push(choices[0]?.finish_reason);
  }
  const plain = (await client.completions.create({ model: "tiny", prompt: "2 + 2" })).choices[0];
  expect([whole?.message.content, streamed, plain?.text]).toEqual([text, text, text]);
  expect([whole?.finish_reason, chunks.at(-1), plain?.finish_reason].map((item) => readFinishReason(item))).toEqual(
    Array.from({ length: 3 }, () => finishReason),
  );
  const post = async (path: string, body: object): Promise<Record<string, unknown>> =>
    (await (
      await handler(
        new Request(`http://localhost/v1/${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: `\ufeff${JSON.stringify({ model: "tiny", ...body })}`, // as Windows tools write it
        }),
      )
    ).json()) as Record<string, unknown>;
  const response = await post("responses", { input: "2 + 2" });
  const { stop_reason } = await post("messages", { messages: chat.messages, max_tokens: 9 });
  expect([response["status"], response["incomplete_details"], stop_reason]).toEqual(endings[finishReason]);
  const frozen = { tokenizer: null, contextLength: 4096 };
  const tiny = await startGateway({ agents: { scout: frozen, solver: { tokenizer, contextLength: 4096 } } });
  void tiny.gateway.take({ step: 0, models: { scout: says(reading), solver: says(reading) } });
  const { body } = await tiny.post(
    "/v1/rollouts/r/chat/completions",
    `\ufeff${JSON.stringify({ ...chat, model: "scout" })}`,
  );
  expect(body).toMatchObject({ choices: [{ message: { content: text } }] });
  expect(readFinishReason((body as { choices?: { finish_reason: unknown }[] }).choices?.[0]?.finish_reason)).toBe(
    finishReason,
  );
});
