import type { ChatTokenizer, Tokenizer } from "@laconic/core";
import { incrementalDecoder, type IncrementalDecoder } from "@laconic/tokenizers";
import { StopFilter } from "./stop-filter.ts";

/** A token as a reply lists it. */
export interface ListedToken {
  readonly id: number;
  readonly text: string;
  readonly logProb: number;
}

/** One reply as it comes: tokens in, pieces of text out. */
export class StreamedChoice {
  readonly #tokenizer: Tokenizer | ChatTokenizer;
  readonly #decoder: IncrementalDecoder;
  readonly #filter: StopFilter;
  readonly #send: (text: string, tokens: readonly ListedToken[]) => void;
  /** Since the last piece of text. */
  #tokens: ListedToken[] = [];

  constructor(
    tokenizer: Tokenizer | ChatTokenizer,
    stops: readonly string[],
    send: (text: string, tokens: readonly ListedToken[]) => void,
  ) {
    this.#tokenizer = tokenizer;
    this.#decoder = incrementalDecoder(tokenizer);
    this.#filter = new StopFilter(stops);
    this.#send = send;
  }

  push(id: number, logProb: number): void {
    if (this.#filter.stopped) return;
    this.#tokens.push({ id, text: this.#tokenizer.decode([id]), logProb });
    if (!isEnd(this.#tokenizer, id)) this.#emit(this.#filter.push(this.#decoder.push(id)));
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
