import { LaconicError, type ErrorDetail } from "../errors.ts";
import {
  samplingNames,
  samplingParameters,
  type Sampling,
  type SamplingBackEnd,
  type SamplingName,
} from "../sampling.ts";
import type { NumberShape } from "../shapes/shape.ts";

/** Fields of a request as most servers name them: `topP` is `top_p`. */
export type SamplingFields = { readonly [Name in SamplingName as SnakeCase<Name>]?: number };

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : "";

/** What a back end takes of {@link Sampling}. */
export interface SamplingSupport {
  /** Subject of a refusal, such as `the Tinker protocol`. */
  readonly name: string;
  readonly supports: readonly SamplingName[];
  /** What to do about a refusal; "leave it out" by default. */
  readonly advice?: string;
}

/** Names of the parameters that a back end supports, in the order of {@link samplingParameters}. */
export function supportedSampling(backEnd: SamplingBackEnd): readonly SamplingName[] {
  return samplingNames.filter((name) => samplingParameters[name].takenBy.includes(backEnd));
}

/** Names of the parameters that devices take, in the order of their steps. */
export const kernelSampling: readonly SamplingName[] = inSteps(supportedSampling("kernels"));

/** Parameters that remove tokens here, in the order of their steps; none where the whole distribution is sampled. */
export function samplingCuts(sampling: Sampling): readonly SamplingName[] {
  return inSteps(samplingNames).filter((name) => samplingParameters[name].cuts && acts(name, sampling[name]));
}

/** The first requested parameter that is not supported, or null. */
export function unsupportedSampling(sampling: Sampling, supports: readonly SamplingName[]): SamplingName | null {
  return samplingNames.find((name) => !supports.includes(name) && acts(name, sampling[name])) ?? null;
}

/**
 * Refuses parameters that a back end does not support.
 * @param place - of the sampling in a configuration, for the message and the detail `key`
 * @param request - index of an engine's request in its batch: its errors are `input_invalid`
 * @throws LaconicError `config_invalid` naming the parameter
 */
export function checkSampling(
  sampling: Sampling,
  { name, supports, advice = "leave it out" }: SamplingSupport,
  { place, request }: { readonly place?: string; readonly request?: number } = {},
): void {
  const found = unsupportedSampling(sampling, supports);
  if (found === null) return;
  const key = place === undefined ? found : `${place}.${found}`;
  const reason = `${key}: ${name} does not support it; ${advice}`;
  throw request === undefined
    ? new LaconicError("config_invalid", reason, { key })
    : refuseRequest(request, reason, { key });
}

/**
 * A server's fields for sampling: `topP` is `top_p`.
 * @param written - `asked` leaves out absent parameters; `all` writes neutral values for servers with other defaults
 */
export function samplingFields(
  backEnd: SamplingBackEnd,
  sampling: Partial<Sampling>,
  written: "asked" | "all",
): Record<string, number> {
  const fields: Record<string, number> = {};
  for (const name of supportedSampling(backEnd)) {
    const value = sampling[name] ?? (written === "all" ? neutralOf(name, backEnd) : undefined);
    if (value !== undefined) fields[fieldOf(name, backEnd)] = value;
  }
  return fields;
}

/** What a server's fields for sampling may be: also what changes nothing there. */
export function samplingFieldShapes(backEnd: SamplingBackEnd): Readonly<Record<string, NumberShape>> {
  const shapeOf = (name: SamplingName): NumberShape => {
    const { shape } = samplingParameters[name];
    return shape.min === undefined ? shape : { ...shape, min: Math.min(shape.min, neutralOf(name, backEnd)) };
  };
  return Object.fromEntries(supportedSampling(backEnd).map((name) => [fieldOf(name, backEnd), shapeOf(name)]));
}

/** Sampling that a server's fields ask for, without neutral values; temperature 1 by default. */
export function samplingOfFields(backEnd: SamplingBackEnd, fields: object): Sampling {
  const given = fields as Readonly<Record<string, number | undefined>>;
  const asked = supportedSampling(backEnd).flatMap((name) => {
    const value = given[fieldOf(name, backEnd)];
    return acts(name, value) && value !== neutralOf(name, backEnd) ? [[name, value] as const] : [];
  });
  return { temperature: 1, ...Object.fromEntries(asked) };
}

function fieldOf(name: SamplingName, backEnd: SamplingBackEnd): string {
  return backEnd === "ai-sdk" ? name : name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

function acts(name: SamplingName, value: number | undefined): boolean {
  return value !== undefined && value !== samplingParameters[name].neutral;
}

function neutralOf(name: SamplingName, backEnd: SamplingBackEnd): number {
  const { neutral, neutralAt } = samplingParameters[name];
  return neutralAt?.[backEnd] ?? neutral;
}

function inSteps(names: readonly SamplingName[]): readonly SamplingName[] {
  return names.toSorted((a, b) => samplingParameters[a].step - samplingParameters[b].step);
}

/** Error of one request of a batch; its detail has the reason without the request's index. */
export function refuseRequest(request: number, reason: string, more: ErrorDetail = {}): LaconicError {
  return new LaconicError("input_invalid", `sample request ${request}: ${reason}`, { request, reason, ...more });
}
