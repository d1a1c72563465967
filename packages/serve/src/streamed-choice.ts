import type { ChatTokenizer, DrawnToken, Tokenizer } from "@laconic/core";
import { incrementalDecoder, type IncrementalDecoder } from "@laconic/tokenizers";
import { listToken, type ListedToken, type LogProbMode } from "./listed-token.ts";
import { StopFilter } from "./stop-filter.ts";

/** One reply as it comes: tokens in, pieces of text out. */
export class StreamedChoice {
  readonly #tokenizer: Tokenizer | ChatTokenizer;
  readonly #decoder: IncrementalDecoder;
  readonly #filter: StopFilter;
  readonly #mode: LogProbMode;
  readonly #send: (text: string, tokens: readonly ListedToken[]) => void;
  /** Since the last piece of text. */
  #tokens: ListedToken[] = [];

  constructor(
    tokenizer: Tokenizer | ChatTokenizer,
    stops: readonly string[],
    mode: LogProbMode,
    send: (text: string, tokens: readonly ListedToken[]) => void,
  ) {
    this.#tokenizer = tokenizer;
    this.#decoder = incrementalDecoder(tokenizer);
    this.#filter = new StopFilter(stops);
    this.#mode = mode;
    this.#send = send;
  }

  push(drawn: DrawnToken): void {
    if (this.#filter.stopped) return;
    this.#tokens.push(listToken(this.#tokenizer, drawn, this.#mode));
    if (!isEnd(this.#tokenizer, drawn.token)) this.#emit(this.#filter.push(this.#decoder.push(drawn.token)));
  }

  end(): void {
    this.#emit(this.#filter.push(this.#decoder.flush()) + this.#filter.flush());
    if (this.#tokens.length > 0) this.#send("", this.#tokens);
    this.#tokens = [];
  }

  #emit(text: string): void {
    if (text === "") return;
    this.#send(text, this.#tokens);
    this.#tokens = [];
  }
}

function isEnd(tokenizer: Tokenizer | ChatTokenizer, token: number): boolean {
  return "endTokens" in tokenizer ? tokenizer.endTokens.includes(token) : token === tokenizer.endToken;
}
