import { configError } from "@laconic/core";
import { samplingFields, supportedSampling } from "@laconic/core/backends";
import * as z from "zod";
import {
  adapterNames,
  Connection,
  serverFacts,
  wholeReason,
  type ConnectionOptions,
  type HttpReply,
} from "./connection.ts";
import type { Generation, SamplingServer } from "./sampling-server.ts";

const completionReply = z.object({
  model: z.string(),
  choices: z
    .array(
      z.object({
        finish_reason: z.unknown(),
        token_ids: z.array(z.int()),
        prompt_token_ids: z.array(z.int()).nullish(),
        logprobs: z.object({ token_logprobs: z.array(z.number().nullable()) }),
      }),
    )
    .min(1),
});
const promptReply = z.object({
  choices: z
    .array(
      z.object({
        prompt_logprobs: z.array(z.record(z.string(), z.object({ logprob: z.number().nullable() })).nullable()),
      }),
    )
    .min(1),
});
const loads = "/v1/load_lora_adapter";
const needsUpdating = "; start vLLM with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True";

/**
 * Server started by `vllm serve MODEL --enable-lora --max-lora-rank R --logprobs-mode processed_logprobs`, with
 * `VLLM_ALLOW_RUNTIME_LORA_UPDATING=True`. Loads adapters, but no full weights.
 * @throws LaconicError `config_invalid`
 */
export function vllmServer(options: ConnectionOptions): SamplingServer {
  const connection = new Connection(options);
  const isMissing = ({ status, text }: HttpReply): boolean => status === 404 && /does not exist/iu.test(text);
  return {
    kind: "vllm",
    url: connection.url,
    holds: { adapter: Infinity, all: 0 },
    supports: supportedSampling("vllm"),
    reportsUncut: false,
    remedyForRaw: "start vLLM with --logprobs-mode processed_logprobs",
    facts: (signal) => serverFacts(connection, "/version", signal),
    async load({ name, folder, kind }, signal) {
      if (kind === "all")
        throw configError(
          `${connection.url}: vLLM cannot load full weights from disk; train an adapter (lora), or sample on SGLang`,
          { server: connection.url },
        );
      const reply = await connection.exchange(loads, { lora_name: name, lora_path: folder }, signal);
      if (reply.status === 200 || (reply.status === 400 && reply.text.includes("already been loaded"))) return;
      const isRoute = reply.status === 404 && !reply.text.includes(name);
      throw connection.refusal(loads, reply, isRoute ? needsUpdating : "");
    },
    async unload(name, signal) {
      const path = "/v1/unload_lora_adapter";
      const reply = await connection.exchange(path, { lora_name: name }, signal);
      if (reply.status !== 200 && reply.status !== 404 && reply.status !== 400) throw connection.refusal(path, reply);
    },
    names: (signal) => adapterNames(connection, signal),
    async generate({ name }, asked, signal) {
      const path = "/v1/completions";
      const reply = await connection.exchange(path, { model: name, ...bodyOf(asked) }, signal);
      if (isMissing(reply)) return "missing";
      const { model, choices } = connection.read(path, reply, completionReply);
      const [choice] = choices as [(typeof choices)[number]];
      const { finish_reason, token_ids, prompt_token_ids, logprobs } = choice;
      const finishReason = wholeReason(connection, finish_reason);
      return {
        prompt: prompt_token_ids ?? asked.promptTokens.length,
        tokens: token_ids,
        logProbs: logprobs.token_logprobs.map((value) => value ?? Number.NaN),
        finishReason,
        weights: model,
      };
    },
    async promptLogProbs({ name }, tokens, signal) {
      const path = "/v1/completions";
      const body = { model: name, prompt: tokens, max_tokens: 1, temperature: 0, prompt_logprobs: 0 };
      const reply = await connection.exchange(path, body, signal);
      if (isMissing(reply)) return "missing";
      const { choices } = connection.read(path, reply, promptReply);
      const rows = choices[0]?.prompt_logprobs ?? [];
      return tokens.slice(1).map((token, i) => rows[i + 1]?.[String(token)]?.logprob ?? Number.NaN);
    },
  };
}

/** Sets all fields, because missing ones come from the model's generation_config.json. */
function bodyOf({ promptTokens, sampling, stopTokens, stopTexts, seed }: Generation): object {
  return {
    prompt: promptTokens,
    max_tokens: sampling.maxTokens,
    ...samplingFields("vllm", sampling, "all"),
    seed,
    repetition_penalty: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    stop_token_ids: stopTokens,
    stop: stopTexts,
    include_stop_str_in_output: true,
    ignore_eos: true,
    skip_special_tokens: false,
    logprobs: 0,
    return_token_ids: true,
  };
}
