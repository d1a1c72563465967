import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  randomFromSeed,
  type ChatTokenizer,
  type DrawnToken,
  type LanguageModel,
  type Prompt,
  type Tokenizer,
} from "@laconic/core";
import { withEcho, type PromptScorer } from "./echo.ts";
import type { Choice } from "./forms.ts";
import { asHttpError, checkKey, errorBody, HttpError, invalid, readJson, sendJson } from "./http.ts";
import { chatJob, checkModel, completionJob, type Job } from "./jobs.ts";
import type { LogProbMode } from "./listed-token.ts";
import { checkPromptLength } from "./prompt-length.ts";
import { checkOrigin } from "./request-guard.ts";
import { StreamedChoice } from "./streamed-choice.ts";

export interface CompletionServerOptions {
  /** Answers; a local policy streams its tokens. */
  readonly policy: LanguageModel;
  readonly tokenizer: Tokenizer | ChatTokenizer;
  /** As `/v1/models` lists it and requests name it. */
  readonly modelName: string;
  /** Most tokens of prompt and reply together. */
  readonly contextLength: number;
  /** Most tokens of a reply whose request does not say; 1,024 unless told. */
  readonly defaultMaxTokens?: number;
  /** Names that clients may call this server by, beside those of this machine and plain addresses. */
  readonly hosts?: readonly string[];
  /** Gives the log-probs of a prompt's own tokens; without it `echo` with `logprobs` is refused. */
  readonly scorer?: PromptScorer;
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

/**
 * A policy behind the part of OpenAI's HTTP interface that clients use: `/v1/models`, `/v1/chat/completions`,
 * `/v1/completions`, streamed or whole; and `/health`. It does not listen yet.
 */
export function createCompletionServer(options: CompletionServerOptions): Server {
  const { policy, tokenizer, modelName } = options;
  const defaultMaxTokens = options.defaultMaxTokens ?? 1024;
  let running = 0;

  const jobOf = async (request: IncomingMessage, path: string): Promise<Job> => {
    const json = await readJson(request, options.maxBodyBytes);
    const job = (path === "/v1/chat/completions" ? chatJob : completionJob)(json, defaultMaxTokens);
    checkModel(job.body.model, modelName);
    for (const prompt of job.prompts) checkPromptLength(prompt, tokenizer, options.contextLength);
    return job;
  };

  const complete = async (job: Job, response: ServerResponse): Promise<void> => {
    const { body, prompts, form, maxTokens, logProbs, topLogProbs } = job;
    const perPrompt = body.n ?? 1;
    const count = prompts.length * perPrompt;
    if (count > options.maxConcurrency)
      throw invalid(`${count} replies are asked for; one request gets at most ${options.maxConcurrency}`, "n");
    if (running + count > options.maxConcurrency) {
      response.setHeader("retry-after", "1");
      throw new HttpError(429, "rate_limit_error", `${options.maxConcurrency} replies are in the making already`);
    }
    running += count;
    const gone = new AbortController();
    setMaxListeners(0, gone.signal); // every reply listens
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
            prompt: prompts[Math.floor(index / perPrompt)] as Prompt,
            sampling: {
              temperature: body.temperature ?? 1,
              maxTokens: Math.max(1, maxTokens),
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
      const usage = usageOf(choices, perPrompt, maxTokens === 0);
      if (stream) {
        if (body.stream_options?.include_usage === true)
          stream.send({ ...head, object: form.chunkObject, choices: [], usage });
        stream.end();
      } else {
        const promptTokens = choices[0]?.completion.trace?.promptTokens;
        const shown = job.echo ? await withEcho(choices, job, { tokenizer, scorer: options.scorer }) : choices;
        sendJson(response, 200, {
          ...head,
          object: form.object,
          choices: shown.map((choice) => form.whole(choice)),
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

  const card = {
    id: modelName,
    object: "model",
    created: 0,
    owned_by: "laconic",
    max_model_len: options.contextLength,
  };

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    checkOrigin(request, options.hosts ?? []);
    const pathname = pathOf(request);
    if (request.method === "GET" && pathname === "/health") return sendJson(response, 200, { status: "ok", running });
    checkKey(request, options.apiKey);
    if (request.method === "GET" && pathname === "/v1/models")
      return sendJson(response, 200, { object: "list", data: [card] });
    if (request.method === "GET" && pathname.startsWith("/v1/models/")) {
      checkModel(pathname.slice("/v1/models/".length), modelName);
      return sendJson(response, 200, card);
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

function usageOf(choices: readonly Choice[], perPrompt: number, withoutReply: boolean): Record<string, number> {
  const total = (counts: readonly number[]): number => counts.reduce((sum, each) => sum + each, 0);
  const firsts = choices.filter((_, i) => i % perPrompt === 0);
  const prompt = total(firsts.map(({ completion }) => completion.usage.promptTokens));
  const completion = withoutReply ? 0 : total(choices.map((each) => each.completion.usage.completionTokens));
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

/** Decoded. @throws HttpError 400 for what is no path */
function pathOf({ url = "/" }: IncomingMessage): string {
  try {
    return decodeURIComponent(new URL(url, "http://localhost").pathname);
  } catch {
    throw invalid("the request's path is not one");
  }
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
