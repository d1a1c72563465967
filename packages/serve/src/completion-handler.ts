import { ClientGone } from "./client-gone.ts";
import { eventStream } from "./event-stream.ts";
import { asHttpError, checkKey, errorBody, HttpError, invalid, jsonResponse, readJson } from "./http.ts";
import { checkModel, chatJob, completionJob, type Job } from "./jobs.ts";
import { checkPromptLength } from "./prompt-length.ts";
import type { CompletionServerOptions } from "./options.ts";
import { checkOrigin } from "./request-guard.ts";
import { runJob } from "./run-job.ts";

/** Answers a request; never rejects. */
export type CompletionHandler = (request: Request) => Promise<Response>;

/**
 * A policy behind the part of OpenAI's HTTP interface that clients use: `/v1/models`, `/v1/chat/completions`,
 * `/v1/completions`, streamed or whole; and `/health`. For any server of the Fetch API's requests and responses (Deno, Bun, Hono,
 * a test); `createCompletionServer` is the one of Node's. `request.signal`, or a body that is cancelled, ends a reply.
 * A request without a `host` header is taken to name the host of its address.
 */
export function completionHandler(options: CompletionServerOptions): CompletionHandler {
  const { modelName, maxConcurrency } = options;
  const defaultMaxTokens = options.defaultMaxTokens ?? 1024;
  let running = 0;

  const jobOf = async (request: Request, path: string): Promise<Job> => {
    const json = await readJson(request, options.maxBodyBytes);
    const job = (path === "/v1/chat/completions" ? chatJob : completionJob)(json, defaultMaxTokens);
    checkModel(job.body.model, modelName);
    for (const prompt of job.prompts) checkPromptLength(prompt, options.tokenizer, options.contextLength);
    return job;
  };

  /** @returns what gives the places back */
  const takePlaces = (count: number): (() => void) => {
    if (count > maxConcurrency)
      throw invalid(`${count} replies are asked for; one request gets at most ${maxConcurrency}`, "n");
    if (running + count > maxConcurrency)
      throw new HttpError(429, "rate_limit_error", `${maxConcurrency} replies are in the making already`);
    running += count;
    return () => {
      running -= count;
    };
  };

  const complete = async (job: Job, request: Request): Promise<Response> => {
    const release = takePlaces(job.count);
    const gone = new AbortController();
    const leave = (): void => gone.abort();
    if (request.signal.aborted) leave();
    request.signal.addEventListener("abort", leave, { once: true });
    const end = (): void => {
      request.signal.removeEventListener("abort", leave);
      release();
    };
    if (job.body.stream !== true) {
      try {
        return jsonResponse(200, await runJob(job, options, gone, null));
      } catch (error) {
        if (!(error instanceof ClientGone)) throw error;
        return error.toResponse();
      } finally {
        end();
      }
    }
    return eventStream({
      produce: (send) => runJob(job, options, gone, send).finally(end),
      gone,
      describe: (error) => errorBody(refusalOf(error)),
    });
  };

  const card = {
    id: modelName,
    object: "model",
    created: 0,
    owned_by: "laconic",
    max_model_len: options.contextLength,
  };

  const route = async (request: Request): Promise<Response> => {
    const { headers, method } = request;
    checkOrigin(headers.get("host") ?? new URL(request.url).host, headers.get("origin"), options.hosts ?? []);
    const pathname = pathOf(request);
    if (method === "GET" && pathname === "/health") return jsonResponse(200, { status: "ok", running });
    checkKey(headers.get("authorization"), options.apiKey);
    if (method === "GET" && pathname === "/v1/models") return jsonResponse(200, { object: "list", data: [card] });
    if (method === "GET" && pathname.startsWith("/v1/models/")) {
      checkModel(pathname.slice("/v1/models/".length), modelName);
      return jsonResponse(200, card);
    }
    if (pathname !== "/v1/chat/completions" && pathname !== "/v1/completions")
      throw new HttpError(404, "invalid_request_error", `there is no ${pathname}`);
    if (method !== "POST") throw new HttpError(405, "invalid_request_error", `${pathname} takes POST`);
    return complete(await jobOf(request, pathname), request);
  };

  const refusalOf = (error: unknown): HttpError => {
    const refusal = asHttpError(error);
    if (refusal.status >= 500) options.onError(error);
    return refusal;
  };

  return async (request) => {
    try {
      return await route(request);
    } catch (error) {
      const refusal = refusalOf(error);
      return jsonResponse(refusal.status, errorBody(refusal), refusal.status === 429 ? { "retry-after": "1" } : {});
    }
  };
}

/** Decoded. @throws HttpError 400 for what is no path */
function pathOf({ url }: Request): string {
  try {
    return decodeURIComponent(new URL(url).pathname);
  } catch {
    throw invalid("the request's path is not one");
  }
}
