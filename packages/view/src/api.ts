import type { Tokenizer } from "@laconic/core";
import type { EpisodeDetail, Failure, ViewEvent } from "./protocol.ts";
import { answerRequest, ViewError, type ViewData } from "./requests.ts";
import { plainHeaders } from "./static-files.ts";

/** Opens a run's tokenizer; null if not on this machine. */
export type TokenizerOf = (run: {
  readonly directory: string;
  readonly config: unknown;
}) => Promise<Pick<Tokenizer, "decode"> | null>;

export class Api {
  readonly #data: ViewData;
  readonly #tokenizerOf: TokenizerOf;
  readonly #streams = new Set<() => void>();

  constructor(data: ViewData, tokenizerOf: TokenizerOf) {
    [this.#data, this.#tokenizerOf] = [data, tokenizerOf];
  }

  /** @returns null outside `/api` @throws ViewError */
  async answer(path: string, request: Request): Promise<Response | null> {
    const [, start, ...rest] = path.split("/");
    if (start !== "api") return null;
    const name = rest.join("/");
    if (name === "events") return this.#events(request.signal);
    const answer = await answerRequest(this.#data, name, new URL(request.url).searchParams);
    if (answer === null) throw new ViewError(404, "not_found", "address not found");
    const [, id = "", , key] = rest;
    const isEpisode = rest[0] === "runs" && key !== undefined;
    return jsonResponse(
      isEpisode ? await withTexts(this.#data, id, answer as EpisodeDetail, this.#tokenizerOf) : answer,
    );
  }

  #events(signal: AbortSignal): Response {
    const encoder = new TextEncoder();
    /** Last event of each run, for slow readers. */
    const waiting = new Map<string, ViewEvent>();
    const send = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      if ((controller.desiredSize ?? 0) <= 0 || waiting.size === 0) return;
      const text = Array.from(waiting.values(), (event) => `data: ${JSON.stringify(event)}\n\n`).join("");
      waiting.clear();
      controller.enqueue(encoder.encode(text));
    };
    let end = (): void => undefined;
    const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      // Tells the page at once that it is connected.
      controller.enqueue(encoder.encode("retry: 1000\n\n"));
      const stop = this.#data.listen((event) => {
        waiting.set(event.type === "run" ? `run ${event.id}` : event.type, event);
        send(controller);
      });
      const finish = (): void => {
        end();
        controller.close();
      };
      end = () => {
        stop();
        signal.removeEventListener("abort", finish);
        this.#streams.delete(finish);
      };
      signal.addEventListener("abort", finish);
      this.#streams.add(finish);
    };
    const body = new ReadableStream<Uint8Array>({ start, pull: send, cancel: () => end() }, { highWaterMark: 8 });
    return new Response(body, { headers: dataHeaders("text/event-stream") });
  }

  close(): void {
    for (const finish of this.#streams) finish();
  }
}

function jsonResponse(value: unknown, status = 200): Response {
  return new Response(JSON.stringify(value), { status, headers: dataHeaders("application/json") });
}

function dataHeaders(type: string): Record<string, string> {
  return {
    ...plainHeaders,
    "content-type": type,
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  };
}

/** Reports internal failures to `onError`, not in the response. */
export function failureResponse(error: unknown, onError: (error: unknown) => void): Response {
  const isRefusal = error instanceof ViewError;
  if (!isRefusal) onError(error);
  const { status, code, message } = isRefusal
    ? error
    : { status: 500, code: "server_error", message: "internal error; see the server's log" };
  return jsonResponse({ error: { code, message } } satisfies Failure, status);
}

export async function withTexts(
  data: Pick<ViewData, "locate">,
  id: string,
  detail: EpisodeDetail,
  tokenizerOf: TokenizerOf,
): Promise<EpisodeDetail> {
  const location = detail.turns.some(({ tokens }) => tokens !== null) ? await data.locate(id) : null;
  const tokenizer = location && (await tokenizerOf(location));
  return {
    ...detail,
    turns: detail.turns.map((turn) => {
      if (!turn.tokens) return turn;
      const ids = turn.tokens.map((token) => token.id);
      const texts = tokenTexts(ids, turn.text, tokenizer);
      return { ...turn, tokens: turn.tokens.map((token, t) => ({ ...token, text: texts[t] ?? "" })) };
    }),
  };
}

/** If the tokenizer is unknown, splits text into characters if counts match, else shows ids. */
function tokenTexts(
  ids: readonly number[],
  text: string,
  tokenizer: Pick<Tokenizer, "decode"> | null,
): readonly string[] {
  // 40 characters identify the tokenizer.
  if (tokenizer?.decode(ids).includes(text.trim().slice(0, 40)))
    return ids.map((_, t) => {
      // A token's text depends on at most eight tokens before it.
      const start = Math.max(0, t - 8);
      const [before, all] = [tokenizer.decode(ids.slice(start, t)), tokenizer.decode(ids.slice(start, t + 1))];
      // An incomplete character decodes to a replacement mark.
      return all.startsWith(before) ? all.slice(before.length) : all.slice(before.replace(/\uFFFD+$/u, "").length);
    });
  const characters = Array.from(text);
  if (characters.length === ids.length || characters.length === ids.length - 1)
    return ids.map((_, t) => characters[t] ?? "");
  return ids.map((id) => `#${id}`);
}
