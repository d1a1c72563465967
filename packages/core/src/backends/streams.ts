import type { Tokenizer, ChatTokenizer } from "../tokenizer.ts";
import type { Completion, CompletionRequest, DrawnToken, LanguageModel } from "../language-model.ts";

/** Decodes tokens as they arrive. */
export interface IncrementalDecoder {
  /** Empty while a character is incomplete. */
  push(token: number): string;
  flush(): string;
}

const incomplete = "\uFFFD";

/** Creates a decoder with constant cost per token. */
export function incrementalDecoder(tokenizer: Pick<Tokenizer, "decode">): IncrementalDecoder {
  // The last token with text, because some tokenizers write a space depending on earlier tokens; until then, all
  // distinct tokens without text.
  let before: number[] = [];
  let waiting: number[] = [];
  const tail = () => {
    const registry = tokenizer.decode(before);
    return tokenizer.decode([...before, ...waiting]).slice(registry.length);
  };
  return {
    push(token) {
      waiting.push(token);
      const text = tail();
      if (text.endsWith(incomplete)) return "";
      if (text !== "") before = waiting.slice(-1);
      else if (tokenizer.decode(before) === "") before = [...new Set([...before, ...waiting])];
      waiting = [];
      return text;
    },
    flush() {
      const text = waiting.length === 0 ? "" : tail();
      before = [];
      waiting = [];
      return text;
    },
  };
}

/** Cuts text at the first stop text; holds back possible beginnings of one. */
export class StopFilter {
  readonly #stops: readonly string[];
  #held = "";
  stopped = false;

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== "");
  }

  push(text: string): string {
    if (this.stopped) return "";
    const all = this.#held + text;
    const matches = this.#stops.map((stop) => all.indexOf(stop)).filter((index) => index >= 0);
    if (matches.length > 0) {
      this.stopped = true;
      this.#held = "";
      return all.slice(0, Math.min(...matches));
    }
    let keep = 0;
    for (const stop of this.#stops)
      for (let length = Math.min(stop.length - 1, all.length); length > keep; length--)
        if (all.endsWith(stop.slice(0, length))) keep = length;
    this.#held = all.slice(all.length - keep);
    return all.slice(0, all.length - keep);
  }

  flush(): string {
    const rest = this.stopped ? "" : this.#held;
    this.#held = "";
    return rest;
  }
}

export type CompletionEvent =
  | { readonly kind: "token"; readonly drawn: DrawnToken }
  | { readonly kind: "completion"; readonly completion: Completion };

/**
 * Streams the tokens of a completion; the last event is the completion. Starts with the first read and ends when the
 * reader stops.
 */
export async function* streamCompletion(
  model: LanguageModel,
  request: Omit<CompletionRequest, "onToken">,
): AsyncGenerator<CompletionEvent, void, undefined> {
  const { signal } = request;
  const left = new AbortController();
  const follow = (): void => left.abort(signal?.reason);
  if (signal?.aborted) follow();
  signal?.addEventListener("abort", follow, { once: true });
  let drawn: DrawnToken[] = [];
  let ended = false;
  let wake = (): void => undefined;
  const end = (): void => {
    ended = true;
    wake();
  };
  try {
    const whole = model.complete({
      ...request,
      signal: left.signal,
      onToken(token) {
        drawn.push(token);
        wake();
      },
    });
    whole.then(end, end);
    while (!ended || drawn.length > 0) {
      if (drawn.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const ready = drawn;
      drawn = [];
      for (const drawnToken of ready) yield { kind: "token", drawn: drawnToken };
    }
    yield { kind: "completion", completion: await whole };
  } finally {
    signal?.removeEventListener("abort", follow);
    left.abort();
  }
}

export type TextEvent =
  /** The final piece may have tokens without text. */
  | { readonly kind: "text"; readonly text: string; readonly drawn: readonly DrawnToken[] }
  | { readonly kind: "completion"; readonly completion: Completion };

/** Decoding functions of a tokenizer. */
export type StreamTokenizer = Pick<Tokenizer, "decode" | "endToken"> & Partial<Pick<ChatTokenizer, "endTokens">>;

/**
 * Streams the text of a completion in whole characters, without complete or possible stop texts. The pieces join to
 * `completion.text`.
 */
export async function* streamText(
  model: LanguageModel,
  request: Omit<CompletionRequest, "onToken">,
  tokenizer: StreamTokenizer,
): AsyncGenerator<TextEvent, void, undefined> {
  const decoder = incrementalDecoder(tokenizer);
  const filter = new StopFilter(request.sampling.stop ?? []);
  const isEnd = (token: number) => (tokenizer.endTokens ?? [tokenizer.endToken]).includes(token);
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
