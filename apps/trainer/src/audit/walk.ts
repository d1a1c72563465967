import { join } from "node:path";
import { WeightAudit, type PolicyMaker } from "./audit-weights.ts";
import type { Findings } from "./findings.ts";
import { forward, shapeOf, type Sequence } from "./llama.ts";
import { readContent, type StepRow } from "./record.ts";
import type { RunFolder } from "./run-folder.ts";
import { readPolicy, type StoredPolicy } from "./weights-file.ts";

/** Where a walk over the weights begins. */
export interface Start {
  /** Steps that are in the weights. */
  readonly step: number;
  readonly folder: string;
}

/** Weights that are moved beside the audit of the other figures. */
export interface Walk {
  readonly by: string;
  readonly start: Start;
  readonly audit: WeightAudit;
  readonly end?: (() => void) | undefined;
}

/** What of the run can be walked over. */
export interface Ground {
  readonly start: Start;
  readonly names: readonly string[];
  readonly first: readonly StoredPolicy[];
}

/**
 * The newest weights at or before a step: the first ones, or those of a checkpoint.
 * @returns why there are none that this audit can move, in words
 */
export async function groundOf(run: RunFolder, first: number): Promise<Ground | string> {
  const line = run.steps.get(first);
  if (!line) return "no step is recorded";
  if (run.lora) return "the policy is an adapter; this audit moves whole models";
  const starts: Start[] = [
    ...(run.beginning === null ? [] : [{ step: 0, folder: run.beginning }]),
    ...run.checkpoints.map(({ step, folder }) => ({ step, folder })),
  ];
  const start = starts.findLast(({ step }) => step < first);
  if (!start) return "the first weights are not in the folder: runs keep those of up to 4 million parameters";
  if ([...stepsOf(start.step + 1, first)].some((step) => !run.steps.has(step)))
    return `not every step from ${start.step + 1} on is recorded`;
  const names = Object.keys(readContent(line).policies);
  const stored: StoredPolicy[] = [];
  for (const name of names) {
    const policy = await readPolicy(join(start.folder, names.length === 1 ? "" : name));
    if (!policy) return `${start.folder} holds no whole model`;
    const shape = shapeOf(policy.config);
    if (typeof shape === "string") return shape;
    stored.push(policy);
  }
  return { start, names, first: stored };
}

function* stepsOf(first: number, last: number): Generator<number> {
  for (let step = first; step <= last; step++) yield step;
}

export async function openWalk(
  run: RunFolder,
  { start, names }: Ground,
  { by, make, end }: { readonly by: string; readonly make: PolicyMaker; readonly end?: () => void },
  findings: Findings,
  tick: () => Promise<void>,
): Promise<Walk> {
  const maxLag = run.train.asynchronous?.maxLag ?? 0;
  const audit = await WeightAudit.open(run, names, start.folder, make, findings, {
    ...{ maxLag, tick },
    by: end && by,
  });
  return { by, start, audit, end };
}

/** Forward passes of one token that a walk makes, a backward counted as two. */
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

function sequencesIn({ utterances, policies }: StepRow): Sequence[] {
  const trained = new Set(Object.values(policies).flatMap(({ agents }) => agents));
  return utterances.flatMap(({ agent, promptTokens = [], tokens = [] }) =>
    trained.has(agent) && tokens.length > 0 ? [{ prompt: promptTokens, reply: tokens, temperature: 1 }] : [],
  );
}

/** Seconds of one token's forward pass on this machine, from a few of the run's own sequences. */
export function secondsPerPass({ first }: Ground, step: StepRow, now: () => number): number {
  const [policy] = first;
  const shape = policy && shapeOf(policy.config);
  if (!policy || !shape || typeof shape === "string") return 0;
  const some = sequencesIn(step).slice(0, 12);
  // The first few are slow: they are compiled meanwhile.
  const timed = some.map((sequence) => {
    const started = now();
    forward(policy.weights, shape, sequence);
    return (now() - started) / 1000 / (sequence.prompt.length + sequence.reply.length);
  });
  return timed.toSorted((a, b) => a - b)[Math.floor(timed.length / 2)] ?? 0;
}
