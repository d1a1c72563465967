import type { Completion, CompletionRequest, DrawnToken, LanguageModel } from "../language-model.ts";
import type { ChatTokenizer, Tokenizer } from "../tokenizer.ts";
import { incrementalDecoder } from "./incremental-decoder.ts";
import { StopFilter } from "./stop-filter.ts";
import { streamCompletion } from "./stream-completion.ts";

/** A completion on its way: pieces of its text, and at the end the whole. */
export type TextEvent =
  /** Tokens since the piece before; a last piece may be tokens without text, as an end token is. */
  | { readonly kind: "text"; readonly text: string; readonly drawn: readonly DrawnToken[] }
  | { readonly kind: "completion"; readonly completion: Completion };

/** What decoding a stream needs of a tokenizer. */
export type StreamTokenizer = Pick<Tokenizer, "decode" | "endToken"> & Partial<Pick<ChatTokenizer, "endTokens">>;

/**
 * Completes a request and gives its text as it is written: characters whole, and nothing that is, or may still become, one of the
 * request's stop texts. The pieces together are `completion.text`; a model that does not stream gives it in one piece.
 * @throws as `streamCompletion`
 */
export async function* streamText(
  model: LanguageModel,
  request: Omit<CompletionRequest, "onToken">,
  tokenizer: StreamTokenizer,
): AsyncGenerator<TextEvent, void, undefined> {
  const decoder = incrementalDecoder(tokenizer);
  const filter = new StopFilter(request.sampling.stop ?? []);
  const isEnd = (token: number): boolean => (tokenizer.endTokens ?? [tokenizer.endToken]).includes(token);
  let drawn: DrawnToken[] = [];
  let sent = "";
  for await (const event of streamCompletion(model, request)) {
    let text: string;
    if (event.kind === "token") {
      if (filter.stopped) continue;
      drawn.push(event.drawn);
      text = isEnd(event.drawn.token) ? "" : filter.push(decoder.push(event.drawn.token));
      if (text === "") continue;
    } else {
      text = filter.push(decoder.flush()) + filter.flush();
      const { text: whole } = event.completion;
      if (sent + text !== whole && whole.startsWith(sent)) text = whole.slice(sent.length);
    }
    sent += text;
    if (text !== "" || drawn.length > 0) yield { kind: "text", text, drawn };
    drawn = [];
    if (event.kind === "completion") yield event;
  }
}
