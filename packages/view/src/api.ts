import type { Tokenizer } from "@laconic/core";
import type { ViewData } from "./data/folder-data.ts";
import { EventStreams } from "./event-response.ts";
import { jsonResponse, ViewError } from "./failure.ts";
import { readEpisodeQuery, readSampleQuery } from "./list-query.ts";
import type { EpisodeDetail } from "./protocol.ts";

/** Opens a run's tokenizer; null if not on this machine. */
export type TokenizerOf = (run: {
  readonly directory: string;
  readonly config: unknown;
}) => Promise<Pick<Tokenizer, "decode"> | null>;

const maxNames = 500;

/** Answers requests below `/api`. */
export class Api {
  readonly #data: ViewData;
  readonly #tokenizerOf: TokenizerOf;
  readonly #streams = new EventStreams();

  constructor(data: ViewData, tokenizerOf: TokenizerOf) {
    [this.#data, this.#tokenizerOf] = [data, tokenizerOf];
  }

  /** @returns null outside `/api` @throws ViewError */
  async answer(path: string, request: Request): Promise<Response | null> {
    const [start, ...words] = path.slice(1).split("/");
    if (start !== "api") return null;
    if (words.length === 1 && words[0] === "events") return this.#streams.response(this.#data, request.signal);
    return jsonResponse(found(await this.#read(words, new URL(request.url).searchParams)));
  }

  /** @returns null for unknown paths, runs, benches, episodes and samples */
  async #read([kind, id, part, key, ...rest]: readonly string[], search: URLSearchParams): Promise<unknown> {
    const data = this.#data;
    if (rest.length > 0) return null;
    if (id === undefined) return kind === "runs" ? data.runs() : kind === "benches" ? data.benches() : null;
    if (kind === "benches" && part === "samples")
      return key === undefined ? data.samples(id, readSampleQuery(search)) : data.sample(id, key);
    if (kind !== "runs") return null;
    if (part === "episodes" && key !== undefined) {
      const episode = await data.episode(id, key);
      return episode && withTexts(data, id, episode, this.#tokenizerOf);
    }
    if (key !== undefined) return null;
    if (part === undefined) return data.run(id);
    if (part === "speech") return data.speech(id);
    if (part === "telling") return data.telling(id);
    if (part === "episodes") return data.episodes(id, readEpisodeQuery(search));
    return part === "columns" ? data.columns(id, namesIn(search)) : null;
  }

  close(): void {
    this.#streams.close();
  }
}

function namesIn(search: URLSearchParams): readonly string[] | null {
  const names = search.get("names")?.split(",") ?? null;
  if (names && names.length > maxNames)
    throw new ViewError(400, "input_invalid", `names has ${names.length} names, at most ${maxNames} are answered`);
  return names;
}

function found<T>(value: T | null): T {
  if (value === null) throw new ViewError(404, "not_found", "there is nothing at this address");
  return value;
}

export async function withTexts(
  data: ViewData,
  id: string,
  detail: EpisodeDetail,
  tokenizerOf: TokenizerOf,
): Promise<EpisodeDetail> {
  const hasTokens = detail.turns.some(({ tokens }) => tokens !== null);
  const tokenizer = hasTokens ? await tokenizerOf(found(await data.place(id))) : null;
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

/** Text of each token. If the tokenizer is unknown, splits text into characters if counts match, else shows ids. */
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
