import { ViewError } from "./failure.ts";
import type { EpisodeQuery, SampleQuery } from "./protocol.ts";

const max = { limit: 500, text: 1000 } as const;

/** @throws ViewError 400 naming the parameter */
export function readEpisodeQuery(search: URLSearchParams): EpisodeQuery {
  const words = {
    text: textOf(search, "text", max.text),
    agent: textOf(search, "agent", max.text),
    problem: textOf(search, "problem", Infinity),
    kind: oneOf(search, "kind", ["training", "evaluation"]),
    sort: oneOf(search, "sort", ["newest", "oldest", "tokens", "reward"]),
    correct: truth(search, "correct"),
    silent: truth(search, "silent"),
    fromStep: wholeNumber(search, "fromStep"),
    toStep: wholeNumber(search, "toStep"),
    offset: wholeNumber(search, "offset"),
    limit: wholeNumber(search, "limit"),
  };
  return asked<EpisodeQuery>(words);
}

/** @throws ViewError 400 naming the parameter */
export function readSampleQuery(search: URLSearchParams): SampleQuery {
  return asked<SampleQuery>({
    text: textOf(search, "text", max.text),
    method: textOf(search, "method", max.text),
    against: textOf(search, "against", max.text),
    benchmark: textOf(search, "benchmark", max.text),
    verdict: oneOf(search, "verdict", ["right", "wrong", "failed", "undecided"]),
    sort: oneOf(search, "sort", ["question", "newest", "tokens", "cost", "time"]),
    offset: wholeNumber(search, "offset"),
    limit: wholeNumber(search, "limit"),
  });
}

/** Without what was not asked. */
function asked<Query extends { readonly limit?: number }>(words: {
  readonly [K in keyof Query]: Query[K] | undefined;
}): Query {
  const { limit = 0 } = words as { readonly limit?: number };
  if (limit > max.limit) throw refused("limit", `is ${limit}, at most ${max.limit} are answered`);
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined)) as Query;
}

/** @throws ViewError 400 for what is no whole number from 0 */
function wholeNumber(search: URLSearchParams, name: string): number | undefined {
  const given = textOf(search, name, 20);
  if (given === undefined) return undefined;
  const value = Number(given);
  if (!/^\d+$/u.test(given) || !Number.isSafeInteger(value)) throw refused(name, "is no whole number from 0");
  return value;
}

function textOf(search: URLSearchParams, name: string, maxLength: number): string | undefined {
  const given = search.get(name);
  // A field that is left empty asks for nothing.
  if (given === null || given === "") return undefined;
  if (given.length > maxLength) throw refused(name, `has ${given.length} characters, at most ${maxLength} are read`);
  return given;
}

function truth(search: URLSearchParams, name: string): boolean | undefined {
  const given = oneOf(search, name, ["true", "false", "1", "0"]);
  return given === undefined ? undefined : given === "true" || given === "1";
}

function oneOf<const T extends string>(search: URLSearchParams, name: string, known: readonly T[]): T | undefined {
  const given = textOf(search, name, 100);
  if (given === undefined) return undefined;
  const value = known.find((each) => each === given);
  if (value === undefined) throw refused(name, `is none of ${known.join(", ")}`);
  return value;
}

function refused(name: string, why: string): ViewError {
  return new ViewError(400, "input_invalid", `${name} ${why}`);
}
