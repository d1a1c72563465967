import { fileURLToPath } from "node:url";
import { LaconicError } from "@laconic/core";
import { supportedSampling } from "@laconic/core/backends";
import * as z from "zod";
import {
  adapterNames,
  commonFields,
  Connection,
  jsonHeaders,
  serverFacts,
  wholeReason,
  type ConnectionOptions,
  type HttpReply,
} from "./connection.ts";
import { promptBody, withoutUnread } from "./vllm-json.ts";
import { replicaRequests, severalServers } from "./sampling-server.ts";
import type { Generation, PublishedWeights, SamplingServer } from "./sampling-server.ts";

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
const workerReplies = z.object({
  results: z.array(z.object({ version: z.string().nullable(), error: z.string().nullable() })).min(1),
});
const sleeping = z.object({ is_sleeping: z.boolean() });
const loads = "/v1/load_lora_adapter";
const workers = "/collective_rpc";

/** Folder of `laconic_vllm.py`, the worker extension through which vLLM loads all weights. */
export const vllmExtensionFolder: string = fileURLToPath(new URL("../../../assets", import.meta.url));
const needsExtension =
  "; start vLLM with VLLM_SERVER_DEV_MODE=1 and --worker-extension-cls laconic_vllm.FullWeights (laconic plan prints the command)";
const needsSleepMode = "; start vLLM with VLLM_SERVER_DEV_MODE=1 and --enable-sleep-mode";
const needsUpdating = "; start vLLM with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True";

/**
 * Server started by `vllm serve MODEL --enable-lora --max-lora-rank R --logprobs-mode processed_logprobs`, with
 * `VLLM_ALLOW_RUNTIME_LORA_UPDATING=True`. For full weights: by `VLLM_SERVER_DEV_MODE=1 vllm serve MODEL
 * --worker-extension-cls laconic_vllm.FullWeights`, with `vllmExtensionFolder` in `PYTHONPATH`. Holds several adapters,
 * or one version of full weights.
 * @throws LaconicError `config_invalid`
 */
export function vllmServer(options: ConnectionOptions): SamplingServer {
  const connection = new Connection(options);
  const isMissing = ({ status, text }: HttpReply) => status === 404 && /does not exist/iu.test(text);
  const isAsleep = async (signal: AbortSignal | undefined): Promise<boolean> => {
    const path = "/is_sleeping";
    const reply = await connection.exchange(path, null, signal);
    if (reply.status === 404) throw connection.refusal(path, reply, needsSleepMode);
    return connection.read(path, reply, sleeping).is_sleeping;
  };
  const setAsleep = async (asleep: boolean, signal: AbortSignal | undefined): Promise<void> => {
    if ((await isAsleep(signal)) === asleep) return;
    const path = asleep ? "/sleep?level=1" : "/wake_up";
    const reply = await connection.exchange(path, {}, signal);
    if (reply.status !== 200) throw connection.refusal(path, reply, needsSleepMode);
    if ((await isAsleep(signal)) === asleep) return;
    throw connection.refusal(
      path,
      { ...reply, text: `it is ${asleep ? "awake" : "asleep"} afterwards` },
      needsSleepMode,
    );
  };
  return {
    kind: "vllm",
    url: connection.url,
    holds: { adapter: Infinity, all: 1 },
    supports: supportedSampling("vllm"),
    reportsUncut: false,
    remedyForRaw: "start vLLM with --logprobs-mode processed_logprobs",
    facts: (signal) => serverFacts(connection, "/version", signal),
    async load(weights, signal) {
      const { name, folder, kind } = weights;
      if (kind === "all") return loadAll(connection, weights, signal);
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
    async generate(weights, asked, signal) {
      const path = "/v1/completions";
      const body = promptBody({ ...modelOf(weights), ...bodyOf(asked) }, asked.promptTokens);
      const read = (bytes: Uint8Array) => withoutUnread(bytes, body);
      const reply = await connection.send(path, { method: "POST", headers: jsonHeaders, body, read }, signal);
      if (isMissing(reply)) return "missing";
      const { model, choices } = connection.read(path, reply, completionReply);
      const [choice] = choices as [(typeof choices)[number]];
      const { finish_reason, token_ids, prompt_token_ids, logprobs } = choice;
      const finishReason = wholeReason(connection, finish_reason);
      return {
        prompt: prompt_token_ids ?? asked.promptTokens.length,
        tokens: token_ids,
        logProbs: logprobs.token_logprobs.map((value) => value ?? NaN),
        finishReason,
        // The base model's name says nothing about its weights.
        weights: weights.kind === "all" ? null : model,
      };
    },
    async promptLogProbs(weights, tokens, signal) {
      const path = "/v1/completions";
      const body = { ...modelOf(weights), prompt: tokens, max_tokens: 1, temperature: 0, prompt_logprobs: 0 };
      const reply = await connection.exchange(path, body, signal);
      if (isMissing(reply)) return "missing";
      const { choices } = connection.read(path, reply, promptReply);
      const rows = choices[0]?.prompt_logprobs ?? [];
      return tokens.slice(1).map((token, i) => rows[i + 1]?.[String(token)]?.logprob ?? NaN);
    },
    sleep: (signal) => setAsleep(true, signal),
    wake: (signal) => setAsleep(false, signal),
  };
}

/** Without a model the server uses its base. */
function modelOf({ kind, name }: PublishedWeights): object {
  return kind === "all" ? {} : { model: name };
}

/**
 * Replaces the base model's weights while the server is paused. After an error it stays paused: a part of the new
 * weights may be loaded.
 */
async function loadAll(
  connection: Connection,
  { name, folder }: PublishedWeights,
  signal: AbortSignal | undefined,
): Promise<void> {
  const call = async (method: string, ...args: readonly string[]): Promise<(string | null)[]> => {
    const reply = await connection.exchange(workers, { method, args }, signal).catch((error: unknown) => {
      // vLLM answers 500 for a method that its workers lack.
      if (method !== "laconic_init" || !LaconicError.is(error) || error.detail["status"] !== 500) throw error;
      return { status: 500, text: error.message };
    });
    if (reply.status !== 200) throw connection.refusal(workers, reply, needsExtension);
    const { results } = connection.read(workers, reply, workerReplies);
    const text = results.find(({ error }) => error !== null)?.error;
    if (typeof text === "string") throw connection.refusal(`${workers} ${method}`, { status: 200, text });
    return results.map(({ version }) => version);
  };
  const post = async (path: string): Promise<void> => {
    const reply = await connection.exchange(path, {}, signal);
    if (reply.status !== 200) throw connection.refusal(path, reply);
  };
  await call("laconic_init");
  await post("/pause?mode=abort");
  await call("laconic_update", folder);
  await call("laconic_finish", name);
  // Pages of older weights.
  await post("/reset_prefix_cache");
  await post("/resume");
  const versions = await Promise.all(Array.from({ length: replicaRequests }, () => call("laconic_init")));
  const current = versions.filter((list) => list.every((version) => version === name)).length;
  if (current < replicaRequests) throw connection.refusal(workers, { status: 200, text: severalServers(current) });
}

function bodyOf(asked: Generation): object {
  return {
    ...commonFields("vllm", asked),
    max_tokens: asked.sampling.maxTokens,
    seed: asked.seed,
    include_stop_str_in_output: true,
    logprobs: 0,
    return_token_ids: true,
  };
}
