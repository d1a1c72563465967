import { createCompleter } from "./completer.ts";
import { checkKey, HttpError, jsonResponse, pathOf, readJson, refusalResponse } from "./http.ts";
import { checkModel, chatJob, completionJob, type Job } from "./jobs.ts";
import { checkPromptLength } from "./prompt-length.ts";
import { toolJob } from "./gateway/tool-job.ts";
import type { CompletionServerOptions } from "./options.ts";
import { checkCaller } from "./request-guard.ts";

/** Answers a request; never rejects. */
export type CompletionHandler = (request: Request) => Promise<Response>;

/**
 * A policy behind the part of OpenAI's HTTP interface that clients use: `/v1/models`, `/v1/chat/completions`,
 * `/v1/completions`, streamed or whole; and `/health`. For any server of the Fetch API's requests and responses (Deno, Bun, Hono,
 * a test); `createCompletionServer` is the one of Node's. `request.signal`, or a body that is cancelled, ends a reply.
 * A request without a `host` header is taken to name the host of its address.
 */
export function completionHandler(options: CompletionServerOptions): CompletionHandler {
  const { modelName, tools } = options;
  const defaultMaxTokens = options.defaultMaxTokens ?? 1024;
  const completer = createCompleter(options);

  const jobOf = async (request: Request, path: string): Promise<Job> => {
    const json = await readJson(request, options.maxBodyBytes);
    const isChat = path === "/v1/chat/completions";
    const job =
      isChat && tools
        ? toolJob(json, tools, defaultMaxTokens)
        : (isChat ? chatJob : completionJob)(json, defaultMaxTokens);
    checkModel(job.body.model, modelName);
    for (const prompt of job.prompts) checkPromptLength(prompt, options.tokenizer, options.contextLength);
    return job;
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
    checkCaller(request, options.hosts ?? [], options.apiKey);
    const pathname = pathOf(request);
    if (method === "GET" && pathname === "/health")
      return jsonResponse(200, { status: "ok", running: completer.running() });
    checkKey(headers.get("authorization"), options.apiKey);
    if (method === "GET" && pathname === "/v1/models") return jsonResponse(200, { object: "list", data: [card] });
    if (method === "GET" && pathname.startsWith("/v1/models/")) {
      checkModel(pathname.slice("/v1/models/".length), modelName);
      return jsonResponse(200, card);
    }
    if (pathname !== "/v1/chat/completions" && pathname !== "/v1/completions")
      throw new HttpError(404, "invalid_request_error", `there is no ${pathname}`);
    if (method !== "POST") throw new HttpError(405, "invalid_request_error", `${pathname} takes POST`);
    return completer.complete(await jobOf(request, pathname), request, options);
  };

  return async (request) => {
    try {
      return await route(request);
    } catch (error) {
      return refusalResponse(error, options.onError);
    }
  };
}
