import { boundedJson } from "@laconic/core";
import {
  unpackNumbers,
  type PackedNumbers,
  type StoredEpisode,
  type StoredEpisodes,
  type StoredEvaluation,
  type StoredPolicy,
  type StoredStep,
  type StoredUpdate,
  type StoredUtterance,
} from "@laconic/core/run-folder";

/** A stored value whose packed numbers are numbers again. */
type Unpacked<T> = T extends PackedNumbers
  ? Float64Array
  : T extends object
    ? { readonly [K in keyof T]: Unpacked<T[K]> }
    : T;

/** An utterance with its log-probs, as the sampler reported them. */
export interface AuditedUtterance extends StoredUtterance {
  logProbs?: Float64Array;
}

/** An episode with its utterances in place of their numbers. */
export type AuditedEpisode = Omit<StoredEpisode, "utterances"> & { readonly utterances: readonly AuditedUtterance[] };

/** What a policy did in a step. */
export type AuditedPolicy = Unpacked<StoredPolicy>;

/** One optimiser step. */
export type AuditedUpdate = Unpacked<StoredUpdate>;

interface Resolved {
  readonly episodes: readonly AuditedEpisode[];
  readonly utterances: readonly AuditedUtterance[];
}

/** A step as the folder has it. */
export type AuditedStep = Unpacked<Omit<StoredStep, keyof StoredEpisodes>> & Resolved;

/** A held-out evaluation as the folder has it. */
export type AuditedEvaluation = Unpacked<Omit<StoredEvaluation, keyof StoredEpisodes>> & Resolved;

/** A step or an evaluation that a folder has: its JSON is read where it is needed, because all of them are more than memory. */
export interface Recorded {
  readonly step: number;
  readonly kind: string;
  /** @throws Error for bytes that are none */
  json(): string;
}

/** @throws Error for content that is none */
export function readContent(recorded: Recorded): AuditedStep & AuditedEvaluation {
  const { sampledLogProbs: sampled, ...content } = unpacked(boundedJson(recorded.json())) as Unpacked<StoredEpisodes>;
  const utterances: readonly AuditedUtterance[] = content.utterances;
  let at = 0;
  for (const each of utterances) {
    if (!each.tokens) continue;
    each.logProbs = sampled.subarray(at, at + each.tokens.length);
    at += each.tokens.length;
  }
  const episodes = content.episodes.map((each) => ({
    ...each,
    utterances: each.utterances.map((i) => utterances[i] as AuditedUtterance),
  }));
  return { ...content, episodes, utterances } as unknown as AuditedStep & AuditedEvaluation;
}

/** Packed numbers in place of their bytes, wherever they are. */
function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked);
  if (typeof value !== "object" || value === null) return value;
  const { f32, f64 } = value as { readonly f32?: unknown; readonly f64?: unknown };
  if (typeof f32 === "string" || typeof f64 === "string") return unpackNumbers(value as PackedNumbers);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unpacked(each)]));
}
