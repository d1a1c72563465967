import { WeightAudit, type PolicyMaker, type PolicyWeights } from "./audit-weights.ts";
import type { Findings } from "../findings.ts";
import type { WeightsSource, Start } from "./weights-source.ts";
import { forward, type Sequence } from "./llama.ts";
import { shapeOf } from "./model-shape.ts";
import { readContent, type AuditedStep } from "../folder/record.ts";
import type { RunFolder } from "../folder/run-folder.ts";
import type { StoredPolicy } from "./weights-file.ts";

/** Weights that are moved beside the audit of the other figures. */
export interface Replay {
  readonly by: string;
  readonly start: Start;
  readonly audit: WeightAudit;
  readonly end?: (() => void) | undefined;
}

/**
 * The newest weights before the steps that are asked for, or else the first within them, from where on every step is recorded.
 * @returns why there are none, in words
 */
export function startOf(
  run: RunFolder,
  { starts }: WeightsSource,
  [first, last]: readonly [first: number, last: number],
): Start | string {
  const start = starts.findLast(({ step }) => step < first) ?? starts.find(({ step }) => step < last);
  if (!start) return `the folder holds no weights of before step ${last}`;
  if ([...stepsOf(start.step + 1, first)].some((step) => !run.steps.has(step)))
    return `not every step from ${start.step + 1} on is recorded`;
  return start;
}

function* stepsOf(first: number, last: number): Generator<number> {
  for (let step = first; step <= last; step++) yield step;
}

export async function openReplay(
  run: RunFolder,
  weights: {
    readonly from: Start;
    readonly start: readonly PolicyWeights[];
    readonly first: readonly PolicyWeights[] | null;
  },
  { by, make, end }: { readonly by: string; readonly make: PolicyMaker; readonly end?: () => void },
  findings: Findings,
  tick: () => Promise<void>,
): Promise<Replay> {
  const maxLag = run.train.asynchronous?.maxLag ?? 0;
  const audit = await WeightAudit.open(run, weights, make, findings, { maxLag, tick, by: end && by });
  return { by, start: weights.from, audit, end };
}

/** Forward passes of one token that a replay makes, a backward counted as two. */
export function passesOf(run: RunFolder, first: number, last: number): number {
  let passes = 0;
  for (const step of stepsOf(first, last)) {
    const { epochs, objective } = run.trainAt(step);
    const perToken = 1 + 3 * epochs + (typeof objective === "object" && objective.kl ? 1 : 0);
    const line = run.steps.get(step);
    if (line)
      for (const { prompt, reply } of sequencesIn(readContent(line)))
        passes += perToken * (prompt.length + reply.length);
  }
  return passes;
}

function sequencesIn({ utterances, policies }: AuditedStep): Sequence[] {
  const trained = new Set(Object.values(policies).flatMap(({ agents }) => agents));
  return utterances.flatMap(({ agent, trace }) =>
    trained.has(agent) && trace && trace.tokens.length > 0
      ? [{ prompt: trace.promptTokens, reply: trace.tokens, temperature: 1 }]
      : [],
  );
}

/** Seconds of one token's forward pass on this machine, from a few of the run's own sequences. */
export function secondsPerPass(stored: StoredPolicy, step: AuditedStep, now: () => number): number {
  const shape = shapeOf(stored.model, stored.adapterScale);
  if (typeof shape === "string") return 0;
  const weights = new Map([...stored.frozen, ...stored.weights]);
  // The first few are slow: they are compiled meanwhile. Of a large model, few are enough.
  const timed: number[] = [];
  const began = now();
  for (const sequence of sequencesIn(step).slice(0, 12)) {
    if (timed.length > 1 && now() - began > 3000) break;
    const started = now();
    forward(weights, shape, sequence);
    timed.push((now() - started) / 1000 / (sequence.prompt.length + sequence.reply.length));
  }
  return timed.toSorted((a, b) => a - b)[Math.floor(timed.length / 2)] ?? 0;
}
