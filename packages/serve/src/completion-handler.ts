import { createCompleter, type Replies } from "./completer.ts";
import {
  checkKey,
  HttpError,
  jsonResponse,
  modelCard,
  noModel,
  noPath,
  pathOf,
  readJson,
  refusalResponse,
} from "./http.ts";
import { chatJob, completionJob, modelIn, withoutNulls } from "./jobs.ts";
import { checkPromptLength } from "./prompt-length.ts";
import { repliesTo } from "./run-job.ts";
import { teamReplies } from "./team/team-replies.ts";
import { teamRequest } from "./team/team-request.ts";
import { WaitingEpisodes } from "./team/waiting-episodes.ts";
import { toolJob } from "./gateway/tool-job.ts";
import {
  checkServerOptions,
  serverSettings,
  type CompletionServerOptions,
  type ServedModel,
  type ServedTeam,
} from "./options.ts";
import { checkCaller } from "./request-guard.ts";
import { surfaceAt, throughSurface } from "./surfaces/surfaces.ts";

/** Answers a request; never rejects. */
export type CompletionHandler = (request: Request) => Promise<Response>;

type Served = ServedModel | ServedTeam;

const completionPath = /^\/v1\/(?:chat\/completions|completions|responses|messages)$/u;

/**
 * Policies and teams behind the part of OpenAI's HTTP interface that clients use: `/v1/models`, `/v1/chat/completions`,
 * `/v1/completions`, `/v1/responses`, `/v1/messages`, streamed or whole; and `/health`. For any server of the Fetch API's requests and responses (Deno, Bun, Hono,
 * a test); `createCompletionServer` is the one of Node's. `request.signal`, or a body that is cancelled, ends a reply.
 * A request without a `host` header is taken to name the host of its address.
 */
export function completionHandler(all: CompletionServerOptions): CompletionHandler {
  checkServerOptions(all);
  const { models, waiting: limits, ...given } = all;
  const options = serverSettings(given);
  const { defaultMaxTokens } = options;
  const completer = createCompleter(options);
  const waiting = new WaitingEpisodes(limits);
  const served = new Map(models.map((model) => [model.name, model]));

  /** @throws HttpError 404 for another model than those that are served */
  const modelNamed = (name: string): Served => {
    const found = served.get(name);
    if (found) return found;
    throw noModel(name, [...served.keys()]);
  };

  const repliesOf = (json: unknown, isChat: boolean): Replies => {
    const model = modelNamed(modelIn(json));
    const body = withoutNulls(json);
    if ("topology" in model) {
      if (!isChat)
        throw new HttpError(400, "invalid_request_error", `${model.name} is a team: ask it by chat`, "model");
      return teamReplies(teamRequest(body, model), model, { now: options.now, waiting });
    }
    const { tools, tokenizer, contextLength } = model;
    const job =
      isChat && tools
        ? toolJob(body, tools, defaultMaxTokens)
        : (isChat ? chatJob : completionJob)(body, defaultMaxTokens);
    for (const prompt of job.prompts) checkPromptLength(prompt, tokenizer, contextLength);
    return repliesTo(job, { ...model, now: options.now });
  };

  const route = async (request: Request): Promise<Response> => {
    const { headers, method } = request;
    checkCaller(request, options.hosts, options.apiKey);
    const pathname = pathOf(request);
    if (method === "GET" && pathname === "/health")
      return jsonResponse(200, { status: "ok", running: completer.running(), waiting: waiting.count });
    checkKey(headers, options.apiKey);
    if (method === "GET" && pathname === "/v1/models")
      return jsonResponse(200, { object: "list", data: models.map((model) => cardOf(model)) });
    if (method === "GET" && pathname.startsWith("/v1/models/"))
      return jsonResponse(200, cardOf(modelNamed(pathname.slice("/v1/models/".length))));
    if (!completionPath.test(pathname)) throw noPath(pathname);
    if (method !== "POST") throw new HttpError(405, "invalid_request_error", `${pathname} takes POST`);
    const surface = surfaceAt(pathname);
    const json = await readJson(request, options.maxBodyBytes, surface?.keep);
    if (!surface) return completer.complete(repliesOf(json, pathname === "/v1/chat/completions"), request);
    const asked = surface.read(json);
    return completer.complete(throughSurface(repliesOf(asked.chat, true), asked, surface), request);
  };

  return async (request) => {
    try {
      return await route(request);
    } catch (error) {
      return refusalResponse(error, options.onError, surfaceAt(request.url)?.errorOf);
    }
  };
}

/** A model's limits, or a team's agents. */
function cardOf(model: Served): unknown {
  const { name } = model;
  return modelCard(
    name,
    "topology" in model ? { agents: model.topology.agents } : { max_model_len: model.contextLength },
  );
}
