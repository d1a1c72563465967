import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  randomFromSeed,
  type ChatTokenizer,
  type DrawnToken,
  type LanguageModel,
  type Prompt,
  type Tokenizer,
} from "@laconic/core";
import type { z } from "zod";
import { chatForm, textForm, type Choice, type ReplyForm } from "./forms.ts";
import { asHttpError, checkKey, errorBody, HttpError, invalid, readJson, sendJson } from "./http.ts";
import type { LogProbMode } from "./listed-token.ts";
import { chatSchema, completionSchema, type ChatBody, type CompletionBody } from "./schemas.ts";
import { StreamedChoice } from "./streamed-choice.ts";

export interface CompletionServerOptions {
  /** Answers; a local policy streams its tokens. */
  readonly policy: LanguageModel;
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** As `/v1/models` lists it and requests name it. */
  readonly modelName: string;
  /** Most tokens of prompt and reply together: what a reply may have when the request does not say. */
  readonly contextLength: number;
  /** Null serves everybody who can connect. */
  readonly apiKey: string | null;
  /** Replies in the making at once; more are refused with 429. */
  readonly maxConcurrency: number;
  readonly maxBodyBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Hears failures that are not the client's doing. */
  readonly onError: (error: unknown) => void;
}

interface Job {
  readonly body: ChatBody | CompletionBody;
  readonly prompt: Prompt;
  readonly form: ReplyForm;
  readonly maxTokens: number;
  readonly logProbs: LogProbMode | null;
  /** Likeliest tokens wanted at each place. */
  readonly topLogProbs: number;
}

/**
 * A policy behind the part of OpenAI's HTTP interface that clients use: `/v1/models`, `/v1/chat/completions`,
 * `/v1/completions`, streamed or whole; and `/health`. It does not listen yet.
 */
export function createCompletionServer(options: CompletionServerOptions): Server {
  const { policy, tokenizer, modelName } = options;
  let running = 0;

  const jobOf = async (request: IncomingMessage, path: string): Promise<Job> => {
    const json = await readJson(request, options.maxBodyBytes);
    if (path === "/v1/chat/completions") {
      const body = parse(chatSchema, json);
      return {
        body,
        prompt: { kind: "messages", messages: body.messages },
        form: chatForm,
        maxTokens: body.max_completion_tokens ?? body.max_tokens ?? options.contextLength,
        ...logProbsOf(body, body.logprobs === true, body.top_logprobs ?? 0),
      };
    }
    const body = parse(completionSchema, json);
    const { prompt, max_tokens: maxTokens, logprobs } = body;
    return {
      body,
      prompt: typeof prompt === "string" ? { kind: "text", text: prompt } : { kind: "tokens", tokens: prompt },
      form: textForm,
      maxTokens: maxTokens ?? 16, // OpenAI's default
      ...logProbsOf(body, typeof logprobs === "number", logprobs ?? 0),
    };
  };

  const complete = async (job: Job, response: ServerResponse): Promise<void> => {
    const { body, prompt, form, maxTokens, logProbs, topLogProbs } = job;
    if (body.model !== modelName)
      throw new HttpError(404, "invalid_request_error", `model ${body.model} is not served; ${modelName} is`, "model");
    const count = body.n ?? 1;
    if (running + count > options.maxConcurrency) {
      response.setHeader("retry-after", "1");
      throw new HttpError(429, "rate_limit_error", `${options.maxConcurrency} replies are in the making already`);
    }
    running += count;
    const gone = new AbortController();
    const onClose = (): void => gone.abort();
    response.on("close", onClose);
    try {
      const seeds = randomFromSeed(body.seed ?? randomUUID());
      const stops = body.stop === undefined || body.stop === null ? [] : [body.stop].flat();
      const head = {
        id: `${form.prefix}-${randomUUID()}`,
        created: Math.floor(options.now() / 1000),
        model: modelName,
      };
      const stream = body.stream === true ? openStream(response) : null;
      const choices = await Promise.all(
        Array.from({ length: count }, async (_, index): Promise<Choice> => {
          const streamed = stream
            ? new StreamedChoice(tokenizer, stops, logProbs ?? "processed_logprobs", (text, tokens) =>
                stream.send({
                  ...head,
                  object: form.chunkObject,
                  choices: [form.chunk({ index, text, tokens, ...shape(job) })],
                }),
              )
            : null;
          const completion = await policy.complete({
            prompt,
            sampling: {
              temperature: body.temperature ?? 1,
              maxTokens,
              stop: stops,
              ...(body.top_p !== undefined && { topP: body.top_p }),
              ...(body.top_k !== undefined && body.top_k > 0 && { topK: body.top_k }),
              ...(body.min_p !== undefined && { minP: body.min_p }),
            },
            random: seeds.split(index).state(),
            signal: gone.signal,
            ...(logProbs === "raw_logprobs" && { topLogProbs }),
            ...(body.prompt_cache_key !== undefined && { conversation: body.prompt_cache_key }),
            ...(streamed && { onToken: (drawn: DrawnToken) => streamed.push(drawn) }),
          });
          streamed?.end();
          stream?.send({
            ...head,
            object: form.chunkObject,
            choices: [
              { ...form.chunk({ index, text: "", tokens: [], ...shape(job) }), finish_reason: completion.finishReason },
            ],
          });
          return { index, completion, tokenizer, ...shape(job) };
        }),
      );
      const usage = usageOf(choices);
      if (stream) {
        if (body.stream_options?.include_usage === true)
          stream.send({ ...head, object: form.chunkObject, choices: [], usage });
        stream.end();
      } else {
        const promptTokens = choices[0]?.completion.trace?.promptTokens;
        sendJson(response, 200, {
          ...head,
          object: form.object,
          choices: choices.map((choice) => form.whole(choice)),
          usage,
          ...(body.return_token_ids === true && { prompt_token_ids: promptTokens ?? null }),
        });
      }
    } catch (error) {
      // Whoever asked is gone: there is nobody to tell.
      if (!gone.signal.aborted) throw error;
    } finally {
      response.off("close", onClose);
      // A choice that failed ends the others.
      gone.abort();
      running -= count;
    }
  };

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (request.method === "GET" && pathname === "/health") return sendJson(response, 200, { status: "ok", running });
    checkKey(request, options.apiKey);
    if (request.method === "GET" && pathname === "/v1/models") {
      const model = {
        id: modelName,
        object: "model",
        created: 0,
        owned_by: "laconic",
        max_model_len: options.contextLength,
      };
      return sendJson(response, 200, { object: "list", data: [model] });
    }
    if (pathname !== "/v1/chat/completions" && pathname !== "/v1/completions")
      throw new HttpError(404, "invalid_request_error", `there is no ${pathname}`);
    if (request.method !== "POST") throw new HttpError(405, "invalid_request_error", `${pathname} takes POST`);
    return complete(await jobOf(request, pathname), response);
  };

  return createServer((request, response) => {
    route(request, response).catch((error: unknown) => {
      const failure = asHttpError(error);
      if (failure.status >= 500) options.onError(error);
      if (!response.headersSent) return sendJson(response, failure.status, errorBody(failure));
      response.end(`data: ${JSON.stringify(errorBody(failure))}\n\n`);
    });
  });
}

function shape({ logProbs, body }: Job): { readonly logProbs: LogProbMode | null; readonly tokenIds: boolean } {
  return { logProbs, tokenIds: body.return_token_ids === true };
}

/** @throws HttpError 400 when likeliest tokens are asked for without log-probs, or at the sampling temperature. */
function logProbsOf(
  { logprobs_mode: mode = "raw_logprobs" }: ChatBody | CompletionBody,
  asked: boolean,
  topLogProbs: number,
): Pick<Job, "logProbs" | "topLogProbs"> {
  if (topLogProbs > 0 && !asked) throw invalid("top_logprobs needs logprobs: true", "top_logprobs");
  if (topLogProbs > 0 && mode === "processed_logprobs")
    throw invalid("the likeliest tokens are listed with raw_logprobs only", "logprobs_mode");
  return { logProbs: asked ? mode : null, topLogProbs };
}

/** @throws HttpError 400 naming the parameter. */
function parse<T>(schema: z.ZodType<T>, json: unknown): T {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  if (issue.code === "unrecognized_keys") {
    const name = issue.keys[0] as string;
    throw invalid(`${name} is not supported`, name);
  }
  const name = issue.path.join(".");
  throw invalid(`${name === "" ? "the body" : name}: ${issue.message}`, name === "" ? null : name);
}

function usageOf(choices: readonly Choice[]): Record<string, number> {
  const prompt = choices[0]?.completion.usage.promptTokens ?? 0;
  const completion = choices.reduce((sum, each) => sum + each.completion.usage.completionTokens, 0);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** Server-sent events. */
function openStream(response: ServerResponse): { send(value: unknown): void; end(): void } {
  let open = false;
  const write = (text: string): void => {
    if (response.destroyed) return;
    if (!open) response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    open = true;
    response.write(`data: ${text}\n\n`);
  };
  return {
    // Headers go with the first event: until then a refusal can still have its own status.
    send: (value) => write(JSON.stringify(value)),
    end: () => {
      write("[DONE]");
      response.end();
    },
  };
}
