import { LaconicError } from "@laconic/core";
import { supportedSampling } from "@laconic/core/backends";
import * as z from "zod";
import {
  adapterNames,
  commonFields,
  Connection,
  serverFacts,
  wholeReason,
  type ConnectionOptions,
  type HttpReply,
} from "./connection.ts";
import type { Generation, PublishedWeights, SamplingServer } from "./sampling-server.ts";

const tokenLogProbs = z.array(z.tuple([z.number().nullable(), z.int()], z.unknown()));
const generated = z.object({
  output_ids: z.array(z.int()).nullish(),
  meta_info: z.object({
    finish_reason: z.unknown(),
    prompt_tokens: z.int(),
    output_token_logprobs: tokenLogProbs,
    weight_version: z.string().nullish(),
  }),
});
const scored = z.object({ meta_info: z.object({ input_token_logprobs: tokenLogProbs }) });
const outcome = z.object({ success: z.boolean(), message: z.string().nullish(), error_message: z.string().nullish() });

/**
 * Server started by `python -m sglang.launch_server --model-path MODEL`, with `--enable-lora` and `--max-loaded-loras
 * N` for adapters. Holds several adapters, or one version of full weights.
 * @throws LaconicError `config_invalid`
 */
export function sglangServer(options: ConnectionOptions): SamplingServer {
  const connection = new Connection(options);
  const isMissing = ({ status, text }: HttpReply) => status === 400 && /not loaded|unloaded/iu.test(text);
  const generate = (weights: PublishedWeights, body: object, signal?: AbortSignal): Promise<HttpReply> =>
    connection.exchange(
      "/generate",
      { ...body, return_logprob: true, ...(weights.kind === "adapter" && { lora_path: weights.name }) },
      signal,
    );
  return {
    kind: "sglang",
    url: connection.url,
    holds: { adapter: Infinity, all: 1 },
    supports: supportedSampling("sglang"),
    reportsUncut: true,
    remedyForRaw: "unset SGLANG_RETURN_ORIGINAL_LOGPROB",
    facts: (signal) => serverFacts(connection, "/server_info", signal),
    async load({ name, folder, kind }, signal) {
      const [path, body] =
        kind === "adapter"
          ? ["/load_lora_adapter", { lora_name: name, lora_path: folder }]
          : [
              "/update_weights_from_disk",
              { model_path: folder, weight_version: name, abort_all_requests: false, flush_cache: true },
            ];
      const reply = await connection.exchange(path, body, signal);
      if (kind === "adapter" && reply.status === 400 && /already/iu.test(reply.text)) return;
      const { success, message, error_message } = connection.read(path, reply, outcome);
      if (!success && /already/iu.test(error_message ?? "")) return;
      if (!success) throw connection.refusal(path, { ...reply, text: error_message ?? message ?? reply.text });
    },
    async unload(name, signal) {
      const path = "/unload_lora_adapter";
      const reply = await connection.exchange(path, { lora_name: name }, signal);
      if (reply.status !== 200 && reply.status !== 400) throw connection.refusal(path, reply);
    },
    names: (signal) => adapterNames(connection, signal),
    async generate(weights, asked, signal) {
      const reply = await generate(weights, bodyOf(asked), signal);
      if (isMissing(reply)) return "missing";
      const { meta_info, output_ids } = connection.read("/generate", reply, generated);
      const { finish_reason, output_token_logprobs, prompt_tokens, weight_version } = meta_info;
      const finishReason = wholeReason(connection, finish_reason);
      const tokens = output_token_logprobs.map(([, token]) => token);
      // The ids may be missing, differ from the log-probs, or lack the stop token.
      if (output_ids && output_ids.some((token, i) => token !== tokens[i]))
        throw new LaconicError("reply_malformed", `${connection.url}: output_ids do not match the log-probs`);
      return {
        prompt: prompt_tokens,
        tokens,
        logProbs: output_token_logprobs.map(([value]) => value ?? NaN),
        finishReason,
        // The server does not report its adapter; the probe checks unknown names.
        weights: weights.kind === "adapter" ? null : (weight_version ?? null),
      };
    },
    async promptLogProbs(weights, tokens, signal) {
      const sampling_params = { max_new_tokens: 1, temperature: 0 };
      const reply = await generate(weights, { input_ids: tokens, sampling_params, logprob_start_len: 0 }, signal);
      if (isMissing(reply)) return "missing";
      const rows = connection.read("/generate", reply, scored).meta_info.input_token_logprobs;
      return tokens.slice(1).map((token, i) => {
        const [value, id] = rows[i + 1] ?? [null, -1];
        return id === token && value !== null ? value : NaN;
      });
    },
  };
}

function bodyOf(asked: Generation): object {
  return {
    input_ids: asked.promptTokens,
    logprob_start_len: -1,
    sampling_params: {
      ...commonFields("sglang", asked),
      max_new_tokens: asked.sampling.maxTokens,
      sampling_seed: asked.seed,
      no_stop_trim: true,
    },
  };
}
