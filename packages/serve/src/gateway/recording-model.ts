import {
  LaconicError,
  randomFromSeed,
  type AgentId,
  type Completion,
  type CompletionRequest,
  type LanguageModel,
  type Prompt,
} from "@laconic/core";
import { ClientGone } from "../client-gone.ts";
import type { ReadReply } from "../forms.ts";
import { HttpError, invalid } from "../http.ts";
import type { GatewayAgent, GatewaySettings } from "./gateway-options.ts";
import type { GatewayState } from "./gateway-state.ts";
import { readCalls } from "./tool-job.ts";
import { isFull, type RegistryEntry } from "./rollout-registry.ts";
import { recordCall, standingOf, type CallPrompt } from "./rollout-record.ts";

/** A model that writes down what it is asked and what it answers, and what its replies call. */
export interface RecordingModel {
  readonly model: LanguageModel;
  /** Ids of calls are those that were recorded. */
  readonly readReply: ReadReply;
}

/** What of a request its record has to know. */
interface RecordedRequest {
  readonly agent: AgentId;
  readonly seed: string;
  readonly hasTools: boolean;
  /** A request that comes again gets the reply that it had. */
  readonly idempotencyKey: string | null;
}

/** The reply of an agent in a rollout, under the run's sampling and the step's weights. */
export function recordingModel(
  options: GatewaySettings,
  state: GatewayState,
  rollout: RegistryEntry,
  { agent, seed, hasTools, idempotencyKey }: RecordedRequest,
): RecordingModel {
  const found = options.agents[agent] as GatewayAgent;
  const toolsIn = new Map<Completion, ReturnType<ReadReply>>();
  const readReply: ReadReply = (completion) => toolsIn.get(completion) ?? { content: completion.text, calls: [] };

  const complete = async (request: CompletionRequest): Promise<Completion> => {
    const { calls } = rollout;
    const asked = promptOf(agent, found, request.prompt);
    const answered = idempotencyKey === null ? undefined : calls.find((call) => call.idempotencyKey === idempotencyKey);
    if (answered) {
      if (answered.agent !== agent || answered.prompt !== asked.text)
        throw refused("idempotency_key_differs", "another request of the rollout had this idempotency-key");
      const { completion, tools } = answered;
      if (hasTools && options.tools)
        toolsIn.set(completion, { content: options.tools.read(completion.text).content, calls: tools });
      return completion;
    }
    const length = asked.tokens?.length ?? 0;
    if (asked.tokens && length >= found.contextLength)
      throw invalid(`the prompt has ${length} tokens, the context of ${agent} ${found.contextLength}`, "messages");
    const { maxCalls, maxTokens } = options.limits;
    if (isFull(calls, options.limits, length))
      throw refused("rollout_full", `the rollout has its ${maxCalls} requests or ${maxTokens} tokens`);
    const { kind, differsAt = 0 } = standingOf(calls, asked);
    if (kind === "rerendered" && options.rerendered === "refuse")
      throw refused(
        "rerendered",
        `the history says an earlier reply in other tokens than were sampled, from token ${differsAt} of the prompt on`,
      );
    const step = state.step as number;
    if (calls.some((call) => step - call.step > options.maxLag)) throw staleRollout(step);
    const turn = rollout.asked++;
    const model = state.models[agent];
    if (!model) throw new Error(`no model was given for ${agent}`);
    const completion = await model.complete({
      ...request,
      prompt: asked.tokens ? { kind: "tokens", tokens: asked.tokens } : request.prompt,
      sampling: {
        ...options.sampling,
        maxTokens: asked.tokens
          ? Math.min(request.sampling.maxTokens, found.contextLength - length)
          : request.sampling.maxTokens,
        ...(request.sampling.stop && { stop: request.sampling.stop }),
      },
      random: randomFromSeed(options.seed)
        .split(`step:${step}/rollout:${rollout.id}/turn:${turn}/seed:${seed}`)
        .state(),
      conversation: `${rollout.id}/${agent}`,
    });
    if (found.learns && !completion.trace)
      throw new LaconicError("input_invalid", `agent "${agent}" is trained, but its model reports no token trace`, {
        agent,
      });
    // Nobody has read it: what is not there for the agent is not trained.
    if (request.signal?.aborted) throw new ClientGone(request.signal.reason);
    const read = hasTools && options.tools ? readCalls(options.tools, completion.text) : null;
    if (read) toolsIn.set(completion, read);
    const tools = read?.calls ?? [];
    const next = recordCall(rollout.calls, asked, { completion, tools, step, idempotencyKey });
    const call = next.at(-1);
    if (call) {
      state.prompts[call.kind] = (state.prompts[call.kind] ?? 0) + 1;
      state.foreign += call.foreign;
    }
    rollout.calls = next;
    return completion;
  };
  return { model: { id: agent, complete }, readReply };
}

export function staleRollout(step: number): HttpError {
  return refused(
    "rollout_stale",
    `the rollout has replies of weights that are too old by now (step ${step}); begin a new one, and say its group with the first request; or set train.asynchronous`,
  );
}

/** What the rollout's state forbids. Asking again never helps, and clients repeat 409 and 410 by themselves, some for a minute. */
export function refused(code: string, message: string, status: 400 | 404 = 400): HttpError {
  return new HttpError(status, "invalid_request_error", message, null, code);
}

/** Turned into tokens here, once: what is compared, sampled after and trained on are the same. */
function promptOf(agent: AgentId, { tokenizer }: GatewayAgent, prompt: Prompt): CallPrompt {
  switch (prompt.kind) {
    case "tokens":
      return { agent, messages: null, tokens: prompt.tokens, text: tokenizer?.decode(prompt.tokens) ?? "" };
    case "text": {
      const tokens = tokenizer ? (tokenizer.encodePrompt?.(prompt.text) ?? tokenizer.encode(prompt.text)) : null;
      return { agent, messages: null, tokens, text: prompt.text };
    }
    case "messages": {
      const { messages } = prompt;
      if (tokenizer && !("encodeChat" in tokenizer)) throw invalid(`${agent} has no chat template`, "messages");
      const text = messages.map(({ role, content }) => `${role}: ${content}`).join("\n");
      return { agent, messages, tokens: tokenizer?.encodeChat(messages) ?? null, text };
    }
  }
}
