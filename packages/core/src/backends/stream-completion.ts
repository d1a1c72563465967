import type { Completion, CompletionRequest, DrawnToken, LanguageModel } from "../language-model.ts";

/** A completion on its way: tokens as they are drawn, and at the end the whole. */
export type CompletionEvent =
  | { readonly kind: "token"; readonly drawn: DrawnToken }
  | { readonly kind: "completion"; readonly completion: Completion };

/**
 * Completes a request and gives its tokens as they are drawn; the last event is the completion. A model that does not stream
 * gives that alone. Nothing is asked before the first event is waited for, and whoever stops reading ends the request.
 * @throws what `model.complete` throws, where the reading stands: after the tokens that came before
 */
export async function* streamCompletion(
  model: LanguageModel,
  request: Omit<CompletionRequest, "onToken">,
): AsyncGenerator<CompletionEvent, void, undefined> {
  const { signal: own } = request;
  const left = new AbortController();
  const follow = (): void => left.abort(own?.reason);
  if (own?.aborted) follow();
  own?.addEventListener("abort", follow, { once: true });
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
      for (const each of ready) yield { kind: "token", drawn: each };
    }
    yield { kind: "completion", completion: await whole };
  } finally {
    own?.removeEventListener("abort", follow);
    left.abort();
  }
}
