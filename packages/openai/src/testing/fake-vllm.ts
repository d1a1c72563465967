import type { SampleResult } from "@laconic/core";
import { samplingOfFields } from "@laconic/core/backends";
import * as z from "zod";
import { sharedAnswer, startFakeServer, type Answer, type FakeServer, type Routes } from "./fake-server.ts";
import type { FakeServerOptions } from "./served-weights.ts";

/** Fields of vLLM's `CompletionRequest` that a trainer uses. */
const completion = z.strictObject({
  model: z.string().optional(),
  prompt: z.array(z.int().min(0)).min(1),
  max_tokens: z.int().min(1),
  temperature: z.number().min(0),
  top_p: z.number().gt(0).max(1).optional(),
  top_k: z.int().min(-1).optional(),
  min_p: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
  repetition_penalty: z.literal(1).optional(),
  presence_penalty: z.literal(0).optional(),
  frequency_penalty: z.literal(0).optional(),
  stop_token_ids: z.array(z.int()).optional(),
  stop: z.array(z.string()).optional(),
  include_stop_str_in_output: z.boolean().optional(),
  ignore_eos: z.boolean().optional(),
  skip_special_tokens: z.boolean().optional(),
  logprobs: z.int().min(0).optional(),
  prompt_logprobs: z.int().min(0).optional(),
  return_token_ids: z.boolean().optional(),
});
const loading = z.object({ lora_name: z.string().min(1), lora_path: z.string().min(1) });
const unloading = z.object({ lora_name: z.string().min(1) });
const calling = z.strictObject({
  method: z.enum(["laconic_init", "laconic_update", "laconic_finish"]),
  args: z.array(z.string()),
});

/** `vllm serve --enable-lora` with the worker extension, for any engine: a fleet's paths with strict checks. */
export function startFakeVllm(options: FakeServerOptions): Promise<FakeServer> {
  return startFakeServer(options, vllmRoutes);
}

export const vllmRoutes: Routes = (weights, { contextLength = 48, updates = true }) => {
  let isPaused = false;
  let hasOldPages = false;
  let isAsleep = false;
  return async (path, body, fault) => {
    const shared = sharedAnswer(path, "/version", weights, contextLength);
    if (shared) return shared;
    if (path === "/is_sleeping" && updates) return { status: 200, value: { is_sleeping: isAsleep } };
    if (["/sleep?level=1", "/wake_up"].includes(path) && updates) {
      isAsleep = path !== "/wake_up";
      return { status: 200, value: {} };
    }
    // A real server may fail on memory that is not there.
    if (isAsleep) return refused(500, "asleep");
    if (path === "/collective_rpc" && updates) {
      const {
        method,
        args: [arg = ""],
      } = calling.parse(body);
      let error: string | null = null;
      if (method === "laconic_update") {
        hasOldPages = true;
        error = await weights.loadAll(arg, "").then(() => null, String);
      }
      if (method === "laconic_finish") weights.version = arg;
      const version = ["", "default"].includes(weights.version) ? null : weights.version;
      return { status: 200, value: { results: [{ version, error }] } };
    }
    if (["/pause?mode=abort", "/reset_prefix_cache", "/resume"].includes(path) && updates) {
      if (path === "/reset_prefix_cache") hasOldPages = false;
      else isPaused = path !== "/resume";
      return { status: 200, value: {} };
    }
    if (path === "/v1/load_lora_adapter" && updates) {
      const { lora_name, lora_path } = loading.parse(body);
      if (weights.has(lora_name)) return refused(400, `The lora adapter '${lora_name}' has already been loaded.`);
      await weights.loadAdapter(lora_name, lora_path);
      return { status: 200, value: `Success: LoRA adapter '${lora_name}' added successfully.` };
    }
    if (path === "/v1/unload_lora_adapter" && updates) {
      const { lora_name } = unloading.parse(body);
      if (!weights.has(lora_name)) return refused(404, `The lora adapter '${lora_name}' cannot be found.`);
      await weights.unload(lora_name);
      return { status: 200, value: `Success: LoRA adapter '${lora_name}' removed successfully.` };
    }
    if (isPaused || hasOldPages) return refused(400, "paused, or with pages of older weights");
    if (path !== "/v1/completions") return { status: 404, value: { detail: "Not Found" } };
    const parsed = completion.safeParse(body);
    if (!parsed.success) return refused(400, JSON.stringify(parsed.error.issues[0]));
    const asked = parsed.data;
    const { model = "base" } = asked;
    if (model !== "base" && !weights.has(model)) return refused(404, `The model \`${model}\` does not exist.`);
    const name = model === "base" ? null : model;
    const stale = fault?.kind === "stale";
    const reply = await weights.reply(
      {
        weights: name,
        promptTokens: asked.prompt,
        ...samplingOfFields("vllm", asked),
        maxTokens: asked.max_tokens,
        seed: asked.seed ?? 0,
        stopTokens: asked.stop_token_ids ?? [],
        stopTexts: asked.stop ?? [],
      },
      fault,
    );
    const prompts =
      asked.prompt_logprobs === undefined ? null : await weights.promptLogProbs(name, asked.prompt, stale);
    return {
      status: 200,
      value: {
        id: "cmpl-fake",
        object: "text_completion",
        model: fault?.kind === "other-name" ? "base" : model,
        choices: [
          {
            index: 0,
            text: "",
            finish_reason: reply.finishReason,
            logprobs: asked.logprobs === undefined ? null : logProbsOf(reply),
            token_ids: asked.return_token_ids ? reply.tokens : null,
            prompt_token_ids: asked.return_token_ids ? reply.promptTokens : null,
            prompt_logprobs: prompts && [
              null,
              ...prompts.map((logprob, i) => ({ [String(asked.prompt[i + 1])]: { logprob, rank: 1 } })),
            ],
          },
        ],
        usage: { prompt_tokens: asked.prompt.length, completion_tokens: reply.tokens.length },
      },
    };
  };
};

function logProbsOf({ tokens, logProbs }: Pick<SampleResult, "tokens" | "logProbs">): object {
  const top_logprobs = tokens.map((token, i) => ({ [`token_id:${token}`]: logProbs[i] }));
  return { token_logprobs: logProbs, top_logprobs };
}

function refused(status: number, message: string): Answer {
  return { status, value: { error: { message, type: "error", code: status } } };
}
