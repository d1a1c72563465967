import type { Server } from "node:http";
import { Completer, type Replies } from "./completer.ts";
import { answerModels, enter, readReplyRequest, type AskedReplies } from "./endpoint.ts";
import { createHandlerServer } from "./handler-server.ts";
import { HttpError, modelCard, noModel, noPath, refusalResponse, type CompletionHandler } from "./http.ts";
import { chatJob, checkPromptLength, completionJob } from "./jobs.ts";
import { checkServerOptions, serverSettings } from "./options.ts";
import type { CompletionServerOptions, ServedModel, ServedTeam } from "./options.ts";
import { modelIn } from "./parse.ts";
import { repliesTo } from "./run-job.ts";
import { surfaceAt } from "./surfaces/surfaces.ts";
import { teamReplies } from "./team.ts";

/**
 * Serves policies and teams through OpenAI's HTTP interface: `/v1/models`, `/v1/chat/completions`, `/v1/completions`,
 * `/v1/responses`, `/v1/messages`, streamed or whole, and `/health`. It works with any Fetch API server. Aborting
 * `request.signal` or cancelling the body ends a reply. Without a `host` header, the URL names the host.
 */
export function completionHandler(options: CompletionServerOptions): CompletionHandler {
  checkServerOptions(options);
  const { models, ...rest } = options;
  const settings = serverSettings(rest);
  const { defaultMaxTokens, maxBodyBytes, now, onError } = settings;
  const completer = new Completer(settings);
  const served = new Map(models.map((model) => [model.name, model]));
  const names = [...served.keys()];

  const modelNamed = (name: string): ServedModel | ServedTeam => {
    const model = served.get(name);
    if (model) return model;
    throw noModel(name, names);
  };
  const card = (name: string): object => {
    const model = modelNamed(name);
    return modelCard(
      name,
      "topology" in model ? { agents: model.topology.agents } : { max_model_len: model.contextLength },
    );
  };

  const repliesOf = ({ body, isChat }: AskedReplies): Replies => {
    const model = modelNamed(modelIn(body));
    if ("topology" in model) {
      if (!isChat) throw new HttpError(400, `${model.name} is a team; use a chat request`, "model");
      return teamReplies(body, model, now);
    }
    const { tools = null, tokenizer, contextLength } = model;
    const job = isChat ? chatJob(body, { defaultMaxTokens, tools }) : completionJob(body, defaultMaxTokens);
    for (const prompt of job.prompts) checkPromptLength(prompt, tokenizer, contextLength);
    return repliesTo(job, { ...model, now });
  };

  const route = async (request: Request): Promise<Response> => {
    const path = enter(request, settings, () => ({ running: completer.running }));
    if (path instanceof Response) return path;
    const subpath = path.startsWith("/v1/") ? path.slice("/v1".length) : "";
    const listed = answerModels(request, subpath, names, card);
    if (listed) return listed;
    const asked = await readReplyRequest(request, subpath, maxBodyBytes);
    if (!asked) throw noPath(path);
    return completer.complete(asked.tell(repliesOf(asked)), request);
  };

  return async (request) => {
    try {
      return await route(request);
    } catch (error) {
      return refusalResponse(error, onError, surfaceAt(request.url)?.errorOf);
    }
  };
}

/** Node server that does not listen yet. */
export function createCompletionServer(options: CompletionServerOptions): Server {
  const { onError, ...callers } = serverSettings(options);
  return createHandlerServer(completionHandler(options), onError, callers);
}
