import { randomFromSeed, type Completion, type CompletionRequest, type EpisodeContext } from "@laconic/core";
import { expect, test } from "vitest";
import { speak, type SpeakRequest } from "./index.ts";

const completion: Completion = {
  text: "k6",
  finishReason: "stop",
  usage: { promptTokens: 7, completionTokens: 3, counted: "model" },
  model: { id: "m", weightVersion: 4 },
};
const request: SpeakRequest = {
  agent: "a",
  turn: 2,
  round: 1,
  prompt: { kind: "text", text: "say" },
  inbox: [],
  maxTokens: 9,
};

function contextWith(reply: Partial<Completion>, asked: CompletionRequest[] = []): EpisodeContext {
  const complete = (call: CompletionRequest): Promise<Completion> => {
    asked.push(call);
    return Promise.resolve({ ...completion, ...reply });
  };
  return {
    models: { a: { id: "m", complete } },
    sampling: { temperature: 0.5, topP: 0.9 },
    random: randomFromSeed(1),
  };
}

test("the model is asked with the episode's sampling, the turn's limit and the turn's own stream", async () => {
  const asked: CompletionRequest[] = [];
  await speak(contextWith({}, asked), request);
  expect(asked).toEqual([
    {
      prompt: request.prompt,
      sampling: { temperature: 0.5, topP: 0.9, maxTokens: 9 },
      random: randomFromSeed(1).split("turn:2").state(),
    },
  ]);
});

test("a turn records what was written, what it cost, and what readers get", async () => {
  const turn = await speak(contextWith({}), request);
  expect(turn.utterance).toEqual({
    agent: "a",
    turn: 2,
    round: 1,
    prompt: "say",
    text: "k6",
    silent: false,
    writtenTokens: 3,
    deliveredTo: [],
    finishReason: "stop",
    model: { id: "m", weightVersion: 4 },
  });
  expect(turn.call).toEqual({ turn: 2, round: 1, agent: "a", promptTokens: 7, writtenTokens: 3, reads: [] });
  expect(turn.message).toEqual({ from: "a", turn: 2, round: 1, text: "k6", tokens: 2, silent: false });
});

const thoughtful = { promptTokens: 7, cachedTokens: 4, completionTokens: 3, reasoningTokens: 2, costUsd: 0.5 };

test.each<[string, Partial<Completion>, number]>([
  ["reasoning reaches no reader", { usage: { ...thoughtful, counted: "server" } }, 1],
  ["a reply cut by its limit has no end token", { finishReason: "length" }, 3],
  ["a server's count is taken as it is", { usage: { promptTokens: 7, completionTokens: 3, counted: "server" } }, 3],
  ["silence delivers nothing, whatever was written", { text: "" }, 0],
])("delivered tokens: %s", async (_, reply, tokens) => {
  const { message, utterance } = await speak(contextWith(reply), request);
  expect([message.tokens, message.silent, utterance.writtenTokens]).toEqual([tokens, tokens === 0, 3]);
});

test("silent messages of the inbox are not read", async () => {
  const heard = { from: "b", turn: 0, round: 0, text: "hi", tokens: 5, silent: false };
  const inbox = [heard, { ...heard, from: "c", turn: 1, text: "", tokens: 0, silent: true }];
  const { call } = await speak(contextWith({}), { ...request, inbox });
  expect(call.reads).toEqual([{ from: "b", turn: 0, tokens: 5 }]);
});

async function transcriptOf(change: Partial<SpeakRequest>): Promise<string> {
  const { utterance } = await speak(contextWith({}), { ...request, ...change });
  return utterance.prompt;
}

test("prompts read well in transcripts", async () => {
  const tokens = { kind: "tokens", tokens: [5, 6] } as const;
  expect(await transcriptOf({ prompt: tokens })).toBe("5 6");
  expect(await transcriptOf({ prompt: tokens, renderPrompt: () => "A:k6>" })).toBe("A:k6>");
  const chat = [{ role: "system", content: "Be brief." } as const, { role: "user", content: "2+2?" } as const];
  expect(await transcriptOf({ prompt: { kind: "messages", messages: chat } })).toBe(
    "[system]\nBe brief.\n\n[user]\n2+2?",
  );
});

test("a ledger call has the kinds of its tokens", async () => {
  const { call } = await speak(contextWith({ usage: { ...thoughtful, counted: "server" } }), request);
  const { completionTokens: writtenTokens, ...kinds } = thoughtful;
  expect(call).toEqual({ turn: 2, round: 1, agent: "a", ...kinds, writtenTokens, reads: [] });
});

test.each([
  { cachedTokens: 5, cacheWriteTokens: 3 },
  { reasoningTokens: 4 },
  { cachedTokens: -1 },
  { reasoningTokens: 0.5 },
])("refuses a usage whose parts are %j", async (parts) => {
  const usage = { promptTokens: 7, completionTokens: 3, counted: "server", ...parts } as const;
  await expect(speak(contextWith({ usage }), request)).rejects.toFailWith("reply_malformed");
});

test("counts that contradict the trace are refused", async () => {
  const trace = { promptTokens: [1], tokens: [4, 0], logProbs: [-1, -1] };
  await expect(speak(contextWith({ trace }), request)).rejects.toFailWith("reply_malformed", {
    agent: "a",
    turn: 2,
    writtenTokens: 3,
    tracedTokens: 2,
  });
  const usage = { promptTokens: 7, completionTokens: Number.NaN, counted: "estimate" } as const;
  await expect(speak(contextWith({ usage }), request)).rejects.toFailWith("reply_malformed");
});

test("an agent without a model is named", async () => {
  await expect(speak(contextWith({}), { ...request, agent: "z" })).rejects.toFailWith("input_invalid", { agent: "z" });
});
