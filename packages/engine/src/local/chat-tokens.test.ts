import type { ChatMessage, OwnReply } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { chatTokens } from "./local-policy.ts";

// Letters are their codes, "ab" is one token where a text is tokenised, 1 begins a message and 2 ends it.
const [begin, endToken, pair] = [1, 2, 3];
const encode = (text: string): number[] =>
  text
    .replaceAll("ab", "\u0003")
    .split("")
    .map((letter) => letter.charCodeAt(0));
const tokenizer = {
  endTokens: [endToken],
  decode: (tokens: readonly number[]): string =>
    tokens.map((token) => (token < pair ? "" : token === pair ? "ab" : String.fromCharCode(token))).join(""),
  encodeChat: (messages: readonly ChatMessage[]): number[] => [
    ...messages.flatMap(({ content }) => [begin, ...encode(`\n${content}`), endToken]),
    begin,
    ...encode("\n"),
  ],
};
const user = (content: string): ChatMessage => ({ role: "user", content });
const assistant = (content: string): ChatMessage => ({ role: "assistant", content });
const letters = (text: string): number[] => text.split("").map((letter) => letter.charCodeAt(0));
const startsWith = (tokens: readonly number[], beginning: readonly number[]): boolean =>
  beginning.every((token, i) => tokens[i] === token);

function play(
  replies: readonly OwnReply[],
  chat = tokenizer,
): { asked: readonly number[]; drawn: readonly number[] }[] {
  const messages: ChatMessage[] = [];
  return replies.map((reply, turn) => {
    messages.push(user(`question ${turn}`));
    const asked = chatTokens(messages, replies.slice(0, turn), chat);
    messages.push(assistant(reply.text));
    return { asked, drawn: reply.tokens };
  });
}

describe("a chat with replies that were sampled", () => {
  // The second letter of "ab" was drawn by itself, as no text is tokenised.
  const odd: OwnReply = { text: "cabin", tokens: [...letters("cabin"), endToken] };

  test("continues from its sampled tokens, turn after turn", () => {
    const turns = play([odd, { text: "lab", tokens: [...letters("lab"), endToken] }, odd]);
    for (const [turn, { asked }] of turns.slice(1).entries()) {
      const before = turns[turn] as (typeof turns)[number];
      expect(startsWith(asked, [...before.asked, ...before.drawn])).toBe(true);
    }
    const messages = [user("question 0"), assistant("cabin"), user("question 1")];
    expect(startsWith(tokenizer.encodeChat(messages), turns[0]?.asked ?? [])).toBe(true);
    expect(tokenizer.encodeChat(messages)).not.toEqual(turns[1]?.asked);
    expect(tokenizer.decode(turns[1]?.asked ?? [])).toBe(tokenizer.decode(tokenizer.encodeChat(messages)));
  });

  test("gives equal results without a listener", () => {
    const messages = [user("a"), assistant("cabin"), user("b")];
    expect(chatTokens(messages, [], tokenizer)).toEqual(tokenizer.encodeChat(messages));
    expect(chatTokens(messages, [{ ...odd, text: "another" }], tokenizer)).toEqual(tokenizer.encodeChat(messages));
  });

  test("omits the tokens of a stop text and closes a cut reply", () => {
    const stopped = play([{ text: "cab", tokens: letters("cab\n") }, odd]);
    expect(startsWith(stopped[1]?.asked ?? [], [...(stopped[0]?.asked ?? []), ...letters("cab"), endToken])).toBe(true);
    const cut = play([{ text: "cab", tokens: letters("cab") }, odd]);
    expect(cut[1]?.asked).toEqual(stopped[1]?.asked);
  });

  test("silence is a reply without tokens", () => {
    const [first, second] = play([{ text: "", tokens: [endToken] }, odd]);
    expect(startsWith(second?.asked ?? [], [...(first?.asked ?? []), endToken])).toBe(true);
  });

  test("a template that changes a reply is followed", () => {
    const trimming = {
      ...tokenizer,
      encodeChat: (messages: readonly ChatMessage[]) =>
        tokenizer.encodeChat(messages.map(({ role, content }) => ({ role, content: content.trim() }))),
    };
    const spaced: OwnReply = { text: " cabin", tokens: [...letters(" cabin"), endToken] };
    expect(play([spaced, odd], trimming)[1]?.asked).toEqual(
      trimming.encodeChat([user("question 0"), assistant(" cabin"), user("question 1")]),
    );
  });

  test("a template that asks with a control token which it does not keep is followed", () => {
    const asking = {
      ...tokenizer,
      encodeChat: (messages: readonly ChatMessage[]) => [...tokenizer.encodeChat(messages), begin],
    };
    expect(play([odd, odd], asking)[1]?.asked).toEqual(
      asking.encodeChat([user("question 0"), assistant("cabin"), user("question 1")]),
    );
  });
});
