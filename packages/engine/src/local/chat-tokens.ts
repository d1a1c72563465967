import type { ChatMessage, ChatTokenizer, OwnReply } from "@laconic/core";

/**
 * A chat as tokens, in which the speaker's own replies are those that it drew: a text may be spelled by other tokens than those that
 * were sampled, and what stands behind them would then share nothing with the turn before.
 *
 * The template has the last word: where it changes a reply (cuts thoughts off, trims it), or writes something else before it than it
 * did when it was asked for, the chat is tokenised as it is.
 * @param ownReplies - in the order in which they were written
 */
export function chatTokens(
  messages: readonly ChatMessage[],
  ownReplies: readonly OwnReply[],
  tokenizer: Pick<ChatTokenizer, "encodeChat" | "decode" | "endTokens">,
): readonly number[] {
  const whole = tokenizer.encodeChat(messages);
  const place = lastReply(messages, ownReplies);
  if (!place) return whole;
  const { at, reply } = place;
  const before = messages.slice(0, at);
  const asked = tokenizer.encodeChat(before);
  const isEnd = (token: number): boolean => tokenizer.endTokens.includes(token);
  const ends = whole.flatMap((token, i) => (isEnd(token) ? [i] : []));
  const end = ends[asked.filter(isEnd).length];
  const { text } = ownReplies[reply] as OwnReply;
  const drawn = saidTokens(ownReplies[reply] as OwnReply, tokenizer, isEnd);
  if (end === undefined || !drawn) return whole;
  const differs = asked.findIndex((token, i) => token !== whole[i]);
  // Text before a reply may be spelled together with it; control tokens stay what they were.
  const isSame =
    tokenizer.decode(whole.slice(0, end)) === tokenizer.decode(asked) + text &&
    (differs < 0 || asked.slice(differs).every((token) => tokenizer.decode([token]) !== ""));
  return isSame ? [...chatTokens(before, ownReplies.slice(0, reply), tokenizer), ...drawn, ...whole.slice(end)] : whole;
}

/** The last of the messages that is one of the replies, each of which stands behind the one before it. */
function lastReply(
  messages: readonly ChatMessage[],
  ownReplies: readonly OwnReply[],
): { readonly at: number; readonly reply: number } | null {
  for (let at = messages.length - 1; at > 0; at--) {
    const { role, content } = messages[at] as ChatMessage;
    if (role !== "assistant") continue;
    const reply = ownReplies.findLastIndex(({ text }) => text === content);
    if (reply >= 0) return { at, reply };
  }
  return null;
}

/** The tokens that spell a reply: without its end token, or what completed a stop text. Null where none of its beginnings does. */
function saidTokens(
  { text, tokens }: OwnReply,
  tokenizer: Pick<ChatTokenizer, "decode">,
  isEnd: (token: number) => boolean,
): readonly number[] | null {
  const last = tokens.at(-1);
  let said = last !== undefined && isEnd(last) ? tokens.slice(0, -1) : tokens;
  for (; said.length > 0; said = said.slice(0, -1)) if (tokenizer.decode(said) === text) return said;
  return text === "" ? said : null;
}
