import { exact, type Findings, type Place } from "../findings.ts";
import type { AuditedUpdate } from "../folder/record.ts";
import type { TrainSettings } from "../rules/settings.ts";
import type { ExampleFacts } from "../step-facts.ts";

/** What an optimiser step learned of supervised examples beside its rewards, and how many of them it took. */
export function examplesOf(
  { examples }: AuditedUpdate,
  { supervised }: Pick<TrainSettings, "supervised">,
  findings: Findings,
  place: Place,
): ExampleFacts {
  if (!examples) return { sequences: [], dLogProbs: [], logProbs: [] };
  const sequences = examples.sequences.map(([prompt, reply]) => ({ prompt, reply, temperature: 1 }));
  const tokens = sequences.reduce((sum, { reply }) => sum + reply.length, 0);
  findings.same("batch", place, "supervised examples are asked for", true, Boolean(supervised));
  findings.number("batch", place, "tokens of supervised examples", tokens, examples.logProbs.length, exact);
  const weight = supervised?.weight ?? Number.NaN;
  let at = 0;
  return {
    sequences,
    dLogProbs: sequences.map(({ reply }) => reply.map(() => -weight / tokens)),
    logProbs: sequences.map(({ reply }) => reply.map(() => examples.logProbs[at++] ?? Number.NaN)),
  };
}
