import { samplingOfFields } from "@laconic/core/backends";
import * as z from "zod";
import { sharedAnswer, startFakeServer, type Answer, type FakeServer, type Routes } from "./fake-server.ts";
import type { FakeServerOptions } from "./served-weights.ts";

/** Fields of SGLang's `GenerateReqInput` and `SamplingParams` that a trainer uses. */
const generation = z.strictObject({
  input_ids: z.array(z.int().min(0)).min(1),
  lora_path: z.string().optional(),
  return_logprob: z.boolean(),
  logprob_start_len: z.int().min(-1),
  sampling_params: z.strictObject({
    temperature: z.number().min(0),
    max_new_tokens: z.int().min(1),
    top_p: z.number().gt(0).max(1).optional(),
    top_k: z
      .int()
      .refine((k) => k === -1 || k > 0)
      .optional(),
    min_p: z.number().min(0).max(1).optional(),
    sampling_seed: z.int().optional(),
    repetition_penalty: z.literal(1).optional(),
    presence_penalty: z.literal(0).optional(),
    frequency_penalty: z.literal(0).optional(),
    stop_token_ids: z.array(z.int()).optional(),
    stop: z.array(z.string()).optional(),
    no_stop_trim: z.boolean().optional(),
    ignore_eos: z.boolean().optional(),
    skip_special_tokens: z.boolean().optional(),
  }),
});
const loading = z.object({ lora_name: z.string().min(1), lora_path: z.string().min(1) });
const unloading = z.object({ lora_name: z.string().min(1) });
const updating = z.object({ model_path: z.string().min(1), weight_version: z.string().min(1) });

/** `python -m sglang.launch_server --enable-lora` for any engine: a fleet's paths with strict checks. */
export function startFakeSglang(options: FakeServerOptions): Promise<FakeServer> {
  return startFakeServer(options, sglangRoutes);
}

export const sglangRoutes: Routes =
  (weights, { contextLength = 48, updates = true }) =>
  async (path, body, fault) => {
    const shared = sharedAnswer(path, "/server_info", weights, contextLength);
    if (shared) return shared;
    if (path === "/load_lora_adapter" && updates) {
      const { lora_name, lora_path } = loading.parse(body);
      if (weights.has(lora_name)) return failed(`LoRA adapter ${lora_name} is already loaded.`);
      await weights.loadAdapter(lora_name, lora_path);
      return { status: 200, value: { success: true, error_message: "" } };
    }
    if (path === "/unload_lora_adapter" && updates) {
      const { lora_name } = unloading.parse(body);
      if (!weights.has(lora_name)) return failed(`LoRA adapter ${lora_name} is not loaded.`);
      await weights.unload(lora_name);
      return { status: 200, value: { success: true, error_message: "" } };
    }
    if (path === "/update_weights_from_disk" && updates) {
      const { model_path, weight_version } = updating.parse(body);
      await weights.loadAll(model_path, weight_version);
      return { status: 200, value: { success: true, message: "Succeeded to update model weights." } };
    }
    if (path !== "/generate") return { status: 404, value: { detail: "Not Found" } };
    const parsed = generation.safeParse(body);
    if (!parsed.success) return refused(JSON.stringify(parsed.error.issues[0]));
    const { input_ids, lora_path = null, sampling_params: asked, logprob_start_len } = parsed.data;
    if (lora_path !== null && !weights.has(lora_path))
      return refused(`The following requested LoRA adapters are not loaded: ${lora_path}`);
    const stale = fault?.kind === "stale";
    const version = weights.version;
    const reply = await weights.reply(
      {
        weights: lora_path,
        promptTokens: input_ids,
        ...samplingOfFields("sglang", asked),
        maxTokens: asked.max_new_tokens,
        seed: asked.sampling_seed ?? 0,
        stopTokens: asked.stop_token_ids ?? [],
        stopTexts: asked.stop ?? [],
      },
      fault,
    );
    const prompts = logprob_start_len < 0 ? [] : [null, ...(await weights.promptLogProbs(lora_path, input_ids, stale))];
    const last = reply.tokens.at(-1);
    return {
      status: 200,
      value: {
        text: "",
        output_ids: reply.tokens,
        meta_info: {
          id: "fake",
          finish_reason:
            reply.finishReason === "stop"
              ? { type: "stop", matched: last }
              : { type: "length", length: asked.max_new_tokens },
          prompt_tokens: reply.promptTokens.length,
          completion_tokens: reply.tokens.length,
          weight_version: fault?.kind === "other-name" ? "default" : version,
          output_token_logprobs: reply.tokens.map((token, t) => [reply.logProbs[t], token, null]),
          input_token_logprobs: prompts.map((value, i) => [value, input_ids[i], null]),
        },
      },
    };
  };

function failed(error_message: string): Answer {
  return { status: 400, value: { success: false, error_message } };
}

function refused(message: string): Answer {
  return { status: 400, value: { error: { message } } };
}
