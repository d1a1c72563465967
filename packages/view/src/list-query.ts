import { ViewError } from "./failure.ts";
import type { EpisodeQuery, SampleQuery } from "./protocol.ts";

/** Reads a search parameter. @throws ViewError 400 naming it */
type Reader<T> = (value: string, name: string) => T;

function text(maxLength: number): Reader<string> {
  return (value, name) => {
    if (value.length > maxLength) throw invalid(name, `has ${value.length} characters, at most ${maxLength} are read`);
    return value;
  };
}

function oneOf<const T extends string>(...values: readonly T[]): Reader<T> {
  return (value, name) =>
    values.find((known) => known === value) ?? fail(invalid(name, `is none of ${values.join(", ")}`));
}

const wholeNumber: Reader<number> = (value, name) =>
  /^\d{1,15}$/u.test(value) ? Number(value) : fail(invalid(name, "is no whole number from 0"));

const limit: Reader<number> = (value, name) => {
  const number = wholeNumber(value, name);
  return number <= 500 ? number : fail(invalid(name, `is ${number}, at most 500 are answered`));
};

const truth: Reader<boolean> = (value, name) => ["true", "1"].includes(oneOf("true", "false", "1", "0")(value, name));

const words = text(1000);

const episodeQuery: Readers<EpisodeQuery> = {
  text: words,
  kind: oneOf("training", "evaluation"),
  correct: truth,
  agent: words,
  silent: truth,
  fromStep: wholeNumber,
  toStep: wholeNumber,
  problem: text(Infinity),
  sort: oneOf("newest", "oldest", "tokens", "reward"),
  offset: wholeNumber,
  limit,
};

const sampleQuery: Readers<SampleQuery> = {
  text: words,
  method: words,
  against: words,
  benchmark: words,
  verdict: oneOf("right", "wrong", "failed", "undecided"),
  sort: oneOf("question", "newest", "tokens", "cost", "time"),
  offset: wholeNumber,
  limit,
};

type Readers<Query> = { readonly [K in keyof Query]-?: Reader<NonNullable<Query[K]>> };

/** Empty parameters count as missing. */
function readQuery<Query>(search: URLSearchParams, readers: Readers<Query>): Query {
  const entries = Object.entries<Reader<unknown>>(readers).flatMap(([name, read]) => {
    const value = search.get(name);
    return value === null || value === "" ? [] : [[name, read(value, name)]];
  });
  return Object.fromEntries(entries) as Query;
}

/** @throws ViewError 400 naming the parameter */
export function readEpisodeQuery(search: URLSearchParams): EpisodeQuery {
  return readQuery(search, episodeQuery);
}

/** @throws ViewError 400 naming the parameter */
export function readSampleQuery(search: URLSearchParams): SampleQuery {
  return readQuery(search, sampleQuery);
}

function invalid(name: string, why: string): ViewError {
  return new ViewError(400, "input_invalid", `${name} ${why}`);
}

function fail(error: ViewError): never {
  throw error;
}
