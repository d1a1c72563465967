import {
  type AgentId,
  type Environment,
  type EnvironmentAction,
  type EnvironmentContext,
  type EnvironmentStep,
  type EpisodeContext,
  inputError,
  isRecord,
  LaconicError,
  nameHint,
  type OwnReply,
  type PlayedEnvironment,
  type Prompt,
  shownValue,
  type ToolMessage,
} from "@laconic/core";
import { untilAborted } from "@laconic/core/async";
import { checkedAnswer } from "@laconic/core/checks";
import type { SpeakRequest, Turn, TurnStep } from "./turn.ts";

export const defaultMaxSteps = 8;

type Speak = (context: EpisodeContext, request: SpeakRequest, step: number) => Promise<Turn>;

type Conversation =
  | Exclude<Prompt, { kind: "messages" }>
  | { readonly kind: "messages"; readonly messages: readonly ToolMessage[] };

/** Takes a turn in an environment, within one `maxTokens`; the last text is the message. */
export async function act(
  context: EpisodeContext,
  { environment, agents, state, random, record, alter }: PlayedEnvironment,
  request: SpeakRequest,
  speakOnce: Speak,
): Promise<Turn> {
  const { agent, turn } = request;
  const steps: TurnStep[] = [];
  const replies: OwnReply[] = [];
  let conversation: Conversation = request.prompt;
  let before: Turn | null = null;
  let maxTokens = request.maxTokens;
  for (let step = 0; ; step++) {
    const prompt = asked(environment, agent, conversation);
    const inbox = step === 0 ? request.inbox : [];
    const asking = { ...request, prompt, inbox, maxTokens, speaksAgain: true, replies };
    const spoken = await speakOnce(context, asking, step).catch((error: unknown) => {
      if (before === null || !isFull(error)) throw error;
      return null;
    });
    if (spoken === null) {
      record("context_full");
      return { ...before!, ...(steps.length > 1 && { steps: steps.slice(0, -1) }) };
    }
    const { text, trace } = spoken.utterance;
    const { calls, malformed = 0 } = environment.format?.read(text) ?? { calls: [] };
    const turnContext = {
      ...(context.signal && { signal: context.signal }),
      random: random.split(`turn:${turn}/step:${step}`),
      record,
    };
    const acted = stepOf({ environment, agents, state }, { agent, text, calls, malformed, step }, turnContext);
    const answer = await untilAborted(acted, context.signal, `the environment ${environment.name}: step`);
    const { observation, reward, done } = answer;
    const answers = typeof observation === "string" ? [observation] : (observation ?? []);
    maxTokens -= spoken.call.writtenTokens;
    const isLast =
      answers.length === 0 || done || maxTokens < 1 || step + 1 >= (environment.maxSteps ?? defaultMaxSteps);
    const earned = reward !== undefined && { reward };
    if (isLast) return { ...spoken, ...(steps.length > 0 && { steps }), ...earned, ...(done && { done }) };
    const whole = answers.join("\n");
    const read = alter(whole, agent);
    before = { ...spoken, ...earned };
    steps.push({ utterance: spoken.utterance, call: spoken.call, observed: { text: read, ...earned } });
    if (trace) replies.push({ text, tokens: trace.tokens });
    conversation = continued(environment, conversation, spoken, read === whole ? answers : [read]);
  }
}

function isFull(error: unknown): boolean {
  return (
    LaconicError.is(error) && (error.detail["contextLength"] !== undefined || error.detail["contextFull"] === true)
  );
}

function asked({ format, tools }: Environment, agent: AgentId, conversation: Conversation): Prompt {
  if (conversation.kind !== "messages") return conversation;
  if (format) return { kind: "messages", messages: format.write(conversation.messages, tools?.(agent) ?? []) };
  const messages = conversation.messages.map(({ role, content }) => ({
    role: role === "tool" ? ("user" as const) : role,
    content,
  }));
  return { kind: "messages", messages };
}

/** Keeps sampled tokens. */
function continued(
  environment: Environment,
  conversation: Conversation,
  { utterance: { agent, text, trace } }: Turn,
  observed: readonly string[],
): Conversation {
  if (conversation.kind === "messages") {
    const answers = observed.map((content) => ({ role: "tool" as const, content }));
    return { kind: "messages", messages: [...conversation.messages, { role: "assistant", content: text }, ...answers] };
  }
  const { encode } = environment;
  if (encode && trace)
    return { kind: "tokens", tokens: trace.promptTokens.concat(trace.tokens, encode(observed.join("\n"))) };
  if (conversation.kind === "text" && !trace)
    return { kind: "text", text: `${conversation.text}${text}${observed.join("\n")}` };
  throw inputError(
    `the environment ${environment.name} lacks encode: the prompts of agent "${agent}" are ${conversation.kind === "text" ? "a text" : "tokens"}; add encode, which returns an observation's tokens`,
    { agent },
  );
}

export function stepOf(
  { environment, agents, state }: Pick<PlayedEnvironment, "environment" | "agents" | "state">,
  action: EnvironmentAction,
  context: EnvironmentContext,
): Promise<EnvironmentStep> {
  return checkedAnswer(
    { name: `the environment ${environment.name}: step`, value: "task" },
    () => environment.step(state, action, context),
    (input) => lacksOfStep(input, agents),
  );
}

function lacksOfStep(input: unknown, agents: readonly AgentId[]): string | null {
  if (typeof input !== "object" || input === null)
    return `gave ${shownValue(input)}, expected { observation?, reward?, done? }`;
  const { observation, reward } = input as Readonly<Record<keyof EnvironmentStep, unknown>>;
  const isText = (value: unknown): boolean => typeof value === "string";
  if (observation !== undefined && !isText(observation) && !(Array.isArray(observation) && observation.every(isText)))
    return `gave the observation ${shownValue(observation)}, expected a text or a list of texts`;
  return reward === undefined ? null : lacksOfReward(reward, agents);
}

function lacksOfReward(reward: unknown, agents: readonly AgentId[]): string | null {
  if (!isRecord(reward))
    return Number.isFinite(reward)
      ? null
      : `gave the reward ${shownValue(reward)}, expected a finite number or one for each agent`;
  for (const [agent, own] of Object.entries(reward)) {
    if (!agents.includes(agent)) return `gave a reward to the unknown agent "${agent}"; ${nameHint(agent, agents)}`;
    if (!Number.isFinite(own))
      return `gave the agent "${agent}" the reward ${shownValue(own)}, expected a finite number`;
  }
  return null;
}
