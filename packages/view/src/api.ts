import type { Tokenizer } from "@laconic/core";
import type { ViewData } from "./data/folder-data.ts";
import { EventStreams } from "./event-response.ts";
import { jsonResponse, ViewError } from "./failure.ts";
import { readEpisodeQuery, readSampleQuery } from "./list-query.ts";
import type { EpisodeDetail } from "./protocol.ts";

/** Opens the tokenizer of a run, so that its tokens can be read; null where that is not at hand. */
export type TokenizerOf = (run: {
  readonly directory: string;
  readonly config: unknown;
}) => Promise<Pick<Tokenizer, "decode"> | null>;

/** Max names of metrics in a request. */
const maxNames = 500;

/** Tokens before one that decide how it is written. */
const context = 8;

/** Characters that tell whether a tokenizer is the one that a text was written with. */
const compared = 40;

/** What is asked of runs, by path. */
export interface Api {
  /** @returns null for a path that is none of it. @throws ViewError */
  answer(path: string, request: Request): Promise<Response | null>;
  close(): void;
}

export function viewApi(data: ViewData, tokenizerOf: TokenizerOf): Api {
  const streams = new EventStreams();
  return {
    async answer(path, request) {
      const [start, ...words] = path.slice(1).split("/");
      if (start !== "api") return null;
      const { searchParams } = new URL(request.url);
      const [what, id, part, key, ...rest] = words;
      const asked = words.length;
      if (what === "runs" && asked === 1) return jsonResponse(await data.runs());
      if (what === "benches" && asked === 1) return jsonResponse(await data.benches());
      if (what === "benches" && id !== undefined && part === "samples" && rest.length === 0)
        return jsonResponse(
          found(key === undefined ? await data.samples(id, readSampleQuery(searchParams)) : await data.sample(id, key)),
        );
      if (what === "events" && asked === 1) return streams.response(data, request.signal);
      if (what !== "runs" || id === undefined || rest.length > 0) throw missing();
      if (asked === 2) return jsonResponse(found(await data.run(id)));
      if (part === "speech" && asked === 3) return jsonResponse(found(await data.speech(id)));
      if (part === "telling" && asked === 3) return jsonResponse(found(await data.telling(id)));
      if (part === "columns" && asked === 3) return columns(data, id, searchParams);
      if (part === "episodes" && asked === 3)
        return jsonResponse(found(await data.episodes(id, readEpisodeQuery(searchParams))));
      if (part === "episodes" && key !== undefined)
        return jsonResponse(await withTexts(data, id, found(await data.episode(id, key)), tokenizerOf));
      throw missing();
    },
    close: () => streams.close(),
  };
}

async function columns(data: ViewData, id: string, search: URLSearchParams): Promise<Response> {
  const names = search.get("names")?.split(",") ?? null;
  if (names && names.length > maxNames)
    throw new ViewError(400, "input_invalid", `names has ${names.length} names, at most ${maxNames} are answered`);
  return jsonResponse(found(await data.columns(id, names)));
}

/** An episode whose tokens say what they add to the text. */
export async function withTexts(
  data: ViewData,
  id: string,
  detail: EpisodeDetail,
  tokenizerOf: TokenizerOf,
): Promise<EpisodeDetail> {
  const isNeeded = detail.turns.some(({ tokens }) => tokens !== null);
  const tokenizer = isNeeded ? await tokenizerOf(found(await data.place(id))) : null;
  return {
    ...detail,
    turns: detail.turns.map((turn) => {
      const ids = turn.tokens?.map((token) => token.id) ?? [];
      const texts = tokenTexts(ids, turn.text, tokenizer);
      return { ...turn, tokens: turn.tokens?.map((token, t) => ({ ...token, text: texts[t] ?? "" })) ?? null };
    }),
  };
}

function found<T>(value: T | null): T {
  if (value === null) throw missing();
  return value;
}

function missing(): ViewError {
  return new ViewError(404, "not_found", "there is nothing at this address");
}

/**
 * What each token adds to a text. Without a tokenizer, or with one that says something else, a text of as many characters as
 * tokens has one each; else tokens stand by number.
 */
function tokenTexts(
  ids: readonly number[],
  text: string,
  tokenizer: Pick<Tokenizer, "decode"> | null,
): readonly string[] {
  if (tokenizer?.decode(ids).includes(text.trim().slice(0, compared)))
    return ids.map((_, t) => {
      const from = Math.max(0, t - context);
      const [before, all] = [tokenizer.decode(ids.slice(from, t)), tokenizer.decode(ids.slice(from, t + 1))];
      // Half a character is a mark of its own until its rest comes.
      return all.startsWith(before) ? all.slice(before.length) : all.slice(before.replace(/\uFFFD+$/u, "").length);
    });
  const characters = Array.from(text);
  if (characters.length === ids.length || characters.length === ids.length - 1)
    return ids.map((_, t) => characters[t] ?? "");
  return ids.map((id) => `#${id}`);
}
