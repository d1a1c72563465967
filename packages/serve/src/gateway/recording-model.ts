import {
  type AgentId,
  type Completion,
  type CompletionRequest,
  inputError,
  type LanguageModel,
  type Prompt,
  randomFromSeed,
} from "@laconic/core";
import type { ReadReply } from "../forms.ts";
import { clientGone, HttpError, invalid } from "../http.ts";
import { readCalls } from "../jobs.ts";
import type { GatewayAgent, GatewaySettings } from "./gateway-options.ts";
import type { GatewayState } from "./gateway-requests.ts";
import { recordCall, standingOf, type CallPrompt } from "./rollout-record.ts";
import type { RegistryEntry } from "./rollout-registry.ts";

interface RecordedRequest {
  readonly agent: AgentId;
  readonly seed: string;
  readonly hasTools: boolean;
  /** A repeated request gets the same reply. */
  readonly idempotencyKey: string | null;
}

export function recordingModel(
  options: GatewaySettings,
  state: GatewayState,
  rollout: RegistryEntry,
  { agent, seed, hasTools, idempotencyKey }: RecordedRequest,
): { readonly model: LanguageModel; readonly readReply: ReadReply } {
  const speaker = options.agents[agent] as GatewayAgent;
  const tools = hasTools ? options.tools : null;
  let read: ReturnType<ReadReply> | null = null;

  const complete = async (request: CompletionRequest): Promise<Completion> => {
    const { calls } = rollout;
    const prompt = promptOf(agent, speaker, request.prompt);
    const answered = idempotencyKey === null ? undefined : calls.find((call) => call.idempotencyKey === idempotencyKey);
    if (answered) {
      if (answered.agent !== agent || answered.prompt !== prompt.text)
        throw refused("idempotency_key_differs", "another request of the rollout used this idempotency-key");
      if (tools) read = { content: tools.read(answered.completion.text).content, calls: answered.tools };
      return answered.completion;
    }
    checkRoom(prompt, speaker.contextLength, rollout, options);
    const step = state.step!;
    if (calls.some((call) => step - call.step > options.maxLag)) throw staleRollout(step);
    const turn = rollout.asked++;
    const model = state.models[agent];
    if (!model) throw new Error(`model of agent ${agent} missing`);
    const { maxTokens, stop } = request.sampling;
    const completion = await model.complete({
      ...request,
      prompt: prompt.tokens ? { kind: "tokens", tokens: prompt.tokens } : request.prompt,
      sampling: {
        ...options.sampling,
        maxTokens: prompt.tokens ? Math.min(maxTokens, speaker.contextLength - prompt.tokens.length) : maxTokens,
        ...(stop && { stop }),
      },
      random: randomFromSeed(options.seed)
        .split(`step:${step}/rollout:${rollout.id}/turn:${turn}/seed:${seed}`)
        .state(),
      conversation: `${rollout.id}/${agent}`,
    });
    if (speaker.learns && !completion.trace)
      throw inputError(`agent "${agent}" is trained, but its model reports no token trace`, { agent });
    // A reply that the agent did not receive is not trained.
    if (request.signal?.aborted) throw clientGone();
    if (tools) read = readCalls(tools, completion.text);
    const answer = { completion, tools: read?.calls ?? [], step, idempotencyKey };
    rollout.calls = recordCall(rollout.calls, prompt, answer);
    const { kind, foreign } = rollout.calls.at(-1)!;
    state.prompts[kind] = (state.prompts[kind] ?? 0) + 1;
    state.foreign += foreign;
    return completion;
  };
  return {
    model: { id: agent, complete },
    readReply: (completion) => read ?? { content: completion.text, calls: [] },
  };
}

function checkRoom(
  prompt: CallPrompt,
  contextLength: number,
  { calls }: RegistryEntry,
  { limits: { maxCalls, maxTokens }, rerendered }: GatewaySettings,
): void {
  const length = prompt.tokens?.length ?? 0;
  if (length >= contextLength)
    throw invalid(`the prompt has ${length} tokens, the context of ${prompt.agent} has ${contextLength}`, "messages");
  // Repeated tokens count again.
  const tokens = calls.reduce((sum, { completion: { usage } }) => sum + usage.promptTokens + usage.completionTokens, 0);
  if (calls.length >= maxCalls || tokens + length > maxTokens)
    throw refused("rollout_full", `the rollout reached its limit of ${maxCalls} requests or ${maxTokens} tokens`);
  const { kind, differsAt = 0 } = standingOf(calls, prompt);
  if (kind === "rerendered" && rerendered === "refuse")
    throw refused(
      "rerendered",
      `the history has an earlier reply in other tokens than sampled, from token ${differsAt} of the prompt`,
    );
}

export function staleRollout(step: number): HttpError {
  return refused(
    "rollout_stale",
    `the rollout has replies of outdated weights (now step ${step}); begin a new one with its group in the first request, or set train.asynchronous`,
  );
}

/** The rollout's state forbids the request. Clients retry statuses 409 and 410, so they are avoided. */
export function refused(code: string, message: string, status: 400 | 404 = 400): HttpError {
  return new HttpError(status, message, null, code);
}

/** Tokenizes once, for comparison, sampling and training. */
function promptOf(agent: AgentId, { tokenizer }: GatewayAgent, prompt: Prompt): CallPrompt {
  if (prompt.kind === "messages") {
    const { messages } = prompt;
    if (tokenizer && !("encodeChat" in tokenizer)) throw invalid(`${agent} has no chat template`, "messages");
    const text = messages.map(({ role, content }) => `${role}: ${content}`).join("\n");
    return { agent, messages, tokens: tokenizer?.encodeChat(messages) ?? null, text };
  }
  if (prompt.kind === "tokens")
    return { agent, messages: null, tokens: prompt.tokens, text: tokenizer?.decode(prompt.tokens) ?? "" };
  const { text } = prompt;
  const tokens = tokenizer ? (tokenizer.encodePrompt?.(text) ?? tokenizer.encode(text)) : null;
  return { agent, messages: null, tokens, text };
}
