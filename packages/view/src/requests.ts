import type {
  BenchTable,
  EpisodeDetail,
  EpisodePage,
  EpisodeQuery,
  MetricTable,
  RunDetail,
  RunSummary,
  SampleDetail,
  SamplePage,
  SampleQuery,
  Speech,
  TellingEpisode,
  ViewEvent,
} from "./protocol.ts";

/** Data that pages request; null for a missing run, bench, episode or sample. */
export interface PageData {
  runs(): Promise<readonly RunSummary[]>;
  run(id: string): Promise<RunDetail | null>;
  /** @param names - null for all */
  columns(id: string, names: readonly string[] | null): Promise<MetricTable | null>;
  speech(id: string): Promise<Speech | null>;
  episodes(id: string, query: EpisodeQuery): Promise<EpisodePage | null>;
  /** Most telling first. */
  telling(id: string): Promise<readonly TellingEpisode[] | null>;
  /** Folders have ids without texts. */
  episode(id: string, key: string): Promise<EpisodeDetail | null>;
  benches(): Promise<readonly BenchTable[]>;
  samples(id: string, query: SampleQuery): Promise<SamplePage | null>;
  sample(id: string, key: string): Promise<SampleDetail | null>;
}

/** Data of run folders. */
export interface ViewData extends PageData {
  locate(id: string): Promise<{ readonly directory: string; readonly config: unknown } | null>;
  /** Polls the files while there are listeners. @returns stops listening */
  listen(listener: (event: ViewEvent) => void): () => void;
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Refusal with an HTTP status; 0 if the server did not answer a page. */
export class ViewError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    [this.status, this.code] = [status, code];
  }
}

type Answer = (data: PageData, search: URLSearchParams, id: string, key: string) => Promise<unknown>;

/** `*` is the id of a run or bench, or the key of an episode or sample. */
const requests: Readonly<Record<string, Answer>> = {
  runs: (data) => data.runs(),
  "runs/*": (data, _, id) => data.run(id),
  "runs/*/columns": (data, search, id) => data.columns(id, namesIn(search)),
  "runs/*/speech": (data, _, id) => data.speech(id),
  "runs/*/telling": (data, _, id) => data.telling(id),
  "runs/*/episodes": (data, search, id) => data.episodes(id, readQuery(search, episodeQuery)),
  "runs/*/episodes/*": (data, _, id, key) => data.episode(id, key),
  benches: (data) => data.benches(),
  "benches/*/samples": (data, search, id) => data.samples(id, readQuery(search, sampleQuery)),
  "benches/*/samples/*": (data, _, id, key) => data.sample(id, key),
};

/** @param path - decoded, such as `runs/ID/speech` @throws ViewError */
export async function answerRequest(data: PageData, path: string, search: URLSearchParams): Promise<unknown> {
  const parts = path.split("/");
  const name = parts.map((word, i) => (i % 2 === 1 ? "*" : word)).join("/");
  const [, id = "", , key = ""] = parts;
  return Object.hasOwn(requests, name) ? ((await requests[name]?.(data, search, id, key)) ?? null) : null;
}

const maxNames = 500;

function namesIn(search: URLSearchParams): readonly string[] | null {
  const names = search.get("names")?.split(",") ?? null;
  if (names && names.length > maxNames)
    throw invalid("names", `has ${names.length} names, at most ${maxNames} are allowed`);
  return names;
}

/** @throws ViewError 400 naming it */
type Reader<T> = (value: string, name: string) => T;

type Readers<Query> = { readonly [K in keyof Query]-?: Reader<NonNullable<Query[K]>> };

function text(maxLength: number): Reader<string> {
  return (value, name) => {
    if (value.length > maxLength)
      throw invalid(name, `has ${value.length} characters, at most ${maxLength} are allowed`);
    return value;
  };
}

function oneOf<const T extends string>(...values: readonly T[]): Reader<T> {
  return (value, name) => {
    const match = values.find((allowed) => allowed === value);
    if (match === undefined) throw invalid(name, `is not one of ${values.join(", ")}`);
    return match;
  };
}

function wholeNumber(value: string, name: string): number {
  if (!/^\d{1,15}$/u.test(value)) throw invalid(name, "is not a whole number from 0");
  return Number(value);
}

function limit(value: string, name: string): number {
  const number = wholeNumber(value, name);
  if (number > 500) throw invalid(name, `is ${number}, at most 500 are allowed`);
  return number;
}

const truth: Reader<boolean> = (value, name) => ["true", "1"].includes(oneOf("true", "false", "1", "0")(value, name));

const short = text(1000);

const episodeQuery: Readers<EpisodeQuery> = {
  text: short,
  kind: oneOf("training", "evaluation"),
  correct: truth,
  agent: short,
  silent: truth,
  fromStep: wholeNumber,
  toStep: wholeNumber,
  problem: text(Infinity),
  sort: oneOf("newest", "oldest", "tokens", "reward"),
  offset: wholeNumber,
  limit,
};

const sampleQuery: Readers<SampleQuery> = {
  text: short,
  method: short,
  against: short,
  benchmark: short,
  verdict: oneOf("right", "wrong", "failed", "undecided"),
  sort: oneOf("question", "newest", "tokens", "cost", "time"),
  offset: wholeNumber,
  limit,
};

/** Empty parameters count as missing. @throws ViewError 400 naming the parameter */
function readQuery<Query>(search: URLSearchParams, readers: Readers<Query>): Query {
  const entries = Object.entries<Reader<unknown>>(readers).flatMap(([name, read]) => {
    const value = search.get(name);
    return value === null || value === "" ? [] : [[name, read(value, name)]];
  });
  return Object.fromEntries(entries) as Query;
}

function invalid(name: string, problem: string): ViewError {
  return new ViewError(400, "input_invalid", `${name} ${problem}`);
}
