import { readFinishReason } from "@laconic/core/wire";
import { recordedReplies } from "@laconic/core/testing";
import { expect, test } from "vitest";
import type { Generation, PublishedWeights } from "./sampling-server.ts";
import { sglangServer } from "./sglang.ts";
import { vllmServer } from "./vllm.ts";

const url = "http://127.0.0.1:8000";
const weights: PublishedWeights = { name: "w", version: 1, folder: "/w", path: "/w", kind: "adapter" };
const asked: Generation = {
  promptTokens: [1, 3, 4],
  sampling: { temperature: 1, maxTokens: 2 },
  stopTokens: [2],
  stopTexts: [],
  seed: 0,
};
const answering = (body: unknown): { url: string; fetch: typeof fetch } => ({
  url,
  fetch: async () => new Response(typeof body === "string" ? body : JSON.stringify(body)),
});

const settled = (outcome: Promise<unknown>): Promise<unknown> => outcome.catch((error: unknown) => error);

test.each(recordedReplies.filter(({ wire }) => wire === "generate"))("SGLang: reads $shape", async (recorded) => {
  const { body, reading } = recorded;
  const read = "error" in reading ? { code: reading.error } : { finishReason: reading.finishReason, tokens: [5, 2] };
  expect(await settled(sglangServer(answering(body)).generate(weights, asked))).toMatchObject(read);
});

const reasons = recordedReplies.flatMap(({ body }) => {
  const { choices } = body as { readonly choices?: readonly { readonly finish_reason?: unknown }[] };
  return Array.isArray(choices) && choices.length > 0 ? [choices[0]?.finish_reason ?? null] : [];
});

test.each([...new Set(reasons)])(
  "vLLM: takes a reply that ended by %j where that is a stop or a limit",
  async (reason) => {
    const choice = { finish_reason: reason, token_ids: [5, 2], logprobs: { token_logprobs: [-0.5, -0.25] } };
    const reading = readFinishReason(reason);
    const read = ["stop", "length"].includes(reading)
      ? { finishReason: reading, tokens: [5, 2] }
      : { code: "api_unavailable" };
    const server = vllmServer(answering({ model: "w", choices: [choice] }));
    expect(await settled(server.generate(weights, asked))).toMatchObject(read);
  },
);

test("skips a byte order mark, and quotes a reply that is not JSON", async () => {
  const [reply] = recordedReplies.filter(({ wire }) => wire === "generate");
  const marked = sglangServer(answering(`\ufeff${JSON.stringify(reply?.body)}`));
  await expect(marked.generate(weights, asked)).resolves.toMatchObject({ finishReason: "stop" });
  await expect(sglangServer(answering("<html>")).generate(weights, asked)).rejects.toFailWith(
    "reply_malformed",
    `${url}/generate: status 200 without JSON; it begins "<html>"`,
  );
});
