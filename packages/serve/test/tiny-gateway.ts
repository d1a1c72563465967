import type { ChatTokenizer, Completion, CompletionRequest, LanguageModel } from "@laconic/core";
import { createGateway, type Gateway, type GatewayEvent, type GatewayOptions } from "@laconic/serve";
import { expect, onTestFinished } from "vitest";

const roles = { system: 1, user: 2, assistant: 3, tool: 2 } as const;
/** Characters, and a pair that the tokenizer always merges; a model may write its letters separately. */
const pieces = ["\0", "S", "U", "A", "th", ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)), "\n"];

export const tokenizer: ChatTokenizer = {
  vocabularySize: pieces.length,
  endToken: 0,
  endTokens: [0],
  encode: (text) => {
    const tokens: number[] = [];
    for (let index = 0; index < text.length; index += tokens.at(-1) === 4 ? 2 : 1)
      tokens.push(text.startsWith("th", index) ? 4 : Math.max(5, pieces.lastIndexOf(text.charAt(index))));
    return tokens;
  },
  decode: (tokens) => tokens.map((token) => (token < 4 ? "" : (pieces[token] ?? "?"))).join(""),
  encodeChat: (messages) => [
    ...messages.flatMap(({ role, content }) => [roles[role], ...tokenizer.encode(content), 0]),
    roles.assistant,
  ],
};

/** Tokens of a text, one per letter. */
export const spelled = (text: string): number[] => Array.from(text, (letter) => pieces.lastIndexOf(letter));

export function scripted(
  reply: (prompt: string, request: CompletionRequest) => string | readonly number[],
  weightVersion = 0,
): LanguageModel {
  return {
    id: "scripted",
    async complete(request): Promise<Completion> {
      const { prompt } = request;
      const promptTokens =
        prompt.kind === "tokens"
          ? prompt.tokens
          : prompt.kind === "messages"
            ? tokenizer.encodeChat(prompt.messages)
            : [];
      const message = reply(tokenizer.decode(promptTokens), request);
      const tokens = typeof message === "string" ? [...tokenizer.encode(message), 0] : message;
      const logProbs = tokens.map((_, i) => -1 - i / 100);
      for (const [i, token] of tokens.entries()) request.onToken?.({ token, logProb: logProbs[i] as number });
      return {
        text: tokenizer.decode(tokens),
        finishReason: "stop",
        usage: { promptTokens: promptTokens.length, completionTokens: tokens.length, counted: "model" },
        model: { id: "scripted", weightVersion },
        trace: { promptTokens, tokens, logProbs },
      };
    },
  };
}

export interface TinyGateway {
  readonly gateway: Gateway;
  readonly url: string;
  readonly events: GatewayEvent[];
  readonly errors: unknown[];
  readonly clock: { now: number };
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<{ status: number; body: Answer }>;
  get(path: string): Promise<{ status: number; body: Answer }>;
}

interface Answer {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
  readonly state?: string;
  readonly reason?: string;
  readonly repeated?: boolean;
  readonly system_fingerprint?: string;
  readonly replies?: readonly { readonly kind: string }[];
}

/** Gateway on a free port: two agents, groups of two, one group per step. */
export async function startGateway(change: Partial<GatewayOptions> = {}): Promise<TinyGateway> {
  const events: GatewayEvent[] = [];
  const errors: unknown[] = [];
  const clock = { now: 1_700_000_000_000 };
  const agent = { tokenizer, contextLength: 4096, learns: true };
  const gateway = createGateway({
    agents: { scout: agent, solver: agent },
    groupsPerStep: 1,
    rolloutsPerGroup: 2,
    agentRewards: true,
    seed: 1,
    maxConcurrency: 64,
    maxBodyBytes: 100_000,
    limits: { maxOpen: 8, maxWaiting: 8, maxCalls: 6, maxTokens: 20_000, rolloutSeconds: 60 },
    now: () => clock.now,
    onError: (error: unknown) => void errors.push(error),
    journal: async (event) => void events.push(event),
    ...change,
  });
  const url = await gateway.listen(0);
  onTestFinished(() => gateway.close());
  const answer = async (response: Response): Promise<{ status: number; body: Answer }> => ({
    status: response.status,
    body: (await response.json()) as Answer,
  });
  return {
    gateway,
    url,
    events,
    errors,
    clock,
    post: async (path, body, headers = {}) =>
      answer(
        await fetch(`${url}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: typeof body === "string" ? body : JSON.stringify(body),
        }),
      ),
    get: async (path) => answer(await fetch(`${url}${path}`)),
  };
}

/** Advances the time so that another group may begin if a rollout waits for it. */
export async function stall({ gateway, clock }: TinyGateway): Promise<void> {
  await expect.poll(() => gateway.status().held).toBeGreaterThan(0);
  clock.now += 30_001;
  await gateway.sweep();
}

/** Tool call with the scout's exact spacing. */
export const toolCall = '<tool_call>\n{"name":  "look", "arguments": {"key":"a"}}\n</tool_call>';

export const lookingTeam: Readonly<Record<"scout" | "solver", LanguageModel>> = {
  scout: scripted((prompt) => {
    const match = /<tool_response>\s*(\w+)/u.exec(prompt)?.[1];
    return match === undefined ? `I look. ${toolCall}` : `it is ${match}`;
  }),
  solver: scripted((prompt) => (prompt.split("it is ").at(-1) ?? "").toUpperCase()),
};
