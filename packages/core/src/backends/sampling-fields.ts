import { configError, inputError, type ErrorDetail, type LaconicError } from "../errors.ts";
import {
  samplingNames,
  samplingParameters,
  type Sampling,
  type SamplingBackEnd,
  type SamplingName,
} from "../sampling.ts";
import type { NumberShape } from "../shapes/shape.ts";

/** Sampling fields of most servers, such as `top_p` for `topP`. */
export type SamplingFields = { readonly [Name in SamplingName as SnakeCase<Name>]?: number };

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : "";

/** Supported part of {@link Sampling}. */
export interface SamplingSupport {
  readonly name: string;
  readonly supports: readonly SamplingName[];
  /** Default "leave it out". */
  readonly advice?: string;
}

/** Supported parameters, in the order of {@link samplingParameters}. */
export function supportedSampling(backEnd: SamplingBackEnd): readonly SamplingName[] {
  return samplingNames.filter((name) => samplingParameters[name].takenBy.includes(backEnd));
}

/** Parameters of local devices, in order of application. */
export const kernelSampling: readonly SamplingName[] = inSteps(supportedSampling("kernels"));

/** Active parameters that remove tokens, in order of application. */
export function samplingCuts(sampling: Sampling): readonly SamplingName[] {
  return inSteps(samplingNames).filter((name) => samplingParameters[name].cuts && acts(name, sampling[name]));
}

export function unsupportedSampling(sampling: Sampling, supports: readonly SamplingName[]): SamplingName | null {
  return samplingNames.find((name) => !supports.includes(name) && acts(name, sampling[name])) ?? null;
}

/**
 * Refuses unsupported parameters.
 * @param place - configuration key for the message
 * @param request - index in its batch; its errors are `input_invalid`
 * @throws LaconicError `config_invalid`
 */
export function checkSampling(
  sampling: Sampling,
  { name, supports, advice = "leave it out" }: SamplingSupport,
  { place, request }: { readonly place?: string; readonly request?: number } = {},
): void {
  const match = unsupportedSampling(sampling, supports);
  if (match === null) return;
  const key = place === undefined ? match : `${place}.${match}`;
  const reason = `${key}: ${name} does not support it; ${advice}`;
  throw request === undefined ? configError(reason, { key }) : refuseRequest(request, reason, { key });
}

/**
 * Converts sampling to a server's fields.
 * @param written - `asked` omits missing parameters; `all` writes neutral values for servers with other defaults
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

/** Shapes of a server's sampling fields. */
export function samplingFieldShapes(backEnd: SamplingBackEnd): Readonly<Record<string, NumberShape>> {
  const shapeOf = (name: SamplingName): NumberShape => {
    const { shape } = samplingParameters[name];
    return shape.min === undefined ? shape : { ...shape, min: Math.min(shape.min, neutralOf(name, backEnd)) };
  };
  return Object.fromEntries(supportedSampling(backEnd).map((name) => [fieldOf(name, backEnd), shapeOf(name)]));
}

/** Converts a server's fields to sampling, without neutral values. Default temperature 1. */
export function samplingOfFields(backEnd: SamplingBackEnd, fields: object): Sampling {
  const input = fields as Readonly<Record<string, number | undefined>>;
  const asked = supportedSampling(backEnd).flatMap((name) => {
    const value = input[fieldOf(name, backEnd)];
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

/** Error of one request in a batch. */
export function refuseRequest(request: number, reason: string, more: ErrorDetail = {}): LaconicError {
  return inputError(`sample request ${request}: ${reason}`, { request, reason, ...more });
}
