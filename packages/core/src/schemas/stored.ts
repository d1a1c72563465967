import * as z from "zod";
import type { Observation } from "../environment.ts";
import { type Episode, type Utterance, stopReasons } from "../episode/episode.ts";
import { finishReasons, type ModelIdentity, type TokenTrace } from "../language-model.ts";
import { logProbRange, sampledLogProbRange } from "../numeric/log-prob.ts";
import type { Ledger, LedgerCall, LedgerRead } from "../ledger/ledger.ts";
import type { Problem } from "../problem.ts";

const count = z.int().min(0);
const text = z.string();
const logProb = z.number().min(logProbRange.min).max(sampledLogProbRange.max);
/** Stored problem. */
export const problemSchema: z.ZodType<Problem> = z.strictObject({
  id: text.min(1),
  question: text,
  gold: text,
  views: z.record(text, text).exactOptional(),
  group: text.exactOptional(),
  metadata: z.record(text, z.unknown()).exactOptional(),
});

const modelIdentitySchema: z.ZodType<ModelIdentity> = z.strictObject({ id: text, weightVersion: count });

const tokenTraceSchema: z.ZodType<TokenTrace> = z
  .strictObject({
    promptTokens: z.array(count),
    tokens: z.array(count),
    logProbs: z.array(logProb),
    atOne: z
      .array(z.strictObject({ logProb, top: z.array(z.strictObject({ token: count, logProb })) }))
      .exactOptional(),
  })
  .refine((trace) => trace.tokens.length === trace.logProbs.length, "tokens and logProbs differ in length");

const ledgerReadSchema: z.ZodType<LedgerRead> = z.strictObject({ from: text, turn: count, tokens: count });

const ledgerCallSchema: z.ZodType<LedgerCall> = z.strictObject({
  turn: count,
  round: count,
  agent: text,
  promptTokens: count,
  writtenTokens: count,
  cachedTokens: count.exactOptional(),
  cacheWriteTokens: count.exactOptional(),
  reasoningTokens: count.exactOptional(),
  costUsd: z.number().min(0).exactOptional(),
  reads: z.array(ledgerReadSchema),
  opponent: text.exactOptional(),
  seconds: z.number().min(0).exactOptional(),
});

export const ledgerSchema: z.ZodType<Ledger> = z.strictObject({ calls: z.array(ledgerCallSchema) });

export const utteranceSchema: z.ZodType<Utterance> = z.strictObject({
  agent: text,
  turn: count,
  round: count,
  prompt: text,
  text: text,
  silent: z.boolean(),
  writtenTokens: count,
  deliveredTo: z.array(text),
  finishReason: z.enum(finishReasons),
  model: modelIdentitySchema,
  opponent: text.exactOptional(),
  trace: tokenTraceSchema.exactOptional(),
});

const observationSchema: z.ZodType<Observation> = z.strictObject({
  turn: count,
  agent: text,
  text: text,
  tokens: count,
  rewritten: z.literal(true).exactOptional(),
  reward: z.union([z.number(), z.record(text, z.number())]).exactOptional(),
});

/** Stored episode. */
export const episodeSchema: z.ZodType<Episode> = z.strictObject({
  problemId: text,
  topology: text,
  utterances: z.array(utteranceSchema),
  answer: text.nullable(),
  outputs: z.record(text, text).exactOptional(),
  notes: z.array(text).exactOptional(),
  observations: z.array(observationSchema).exactOptional(),
  measures: z.record(text, z.number()).exactOptional(),
  stopReason: z.enum(stopReasons),
  ledger: ledgerSchema,
});
