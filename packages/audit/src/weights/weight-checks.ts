import { setImmediate } from "node:timers/promises";
import { totalmem } from "node:os";
import { formatBytes, formatDuration } from "@laconic/core/text";
import type { PolicyMaker, PolicyWeights } from "./audit-weights.ts";
import type { Findings } from "../findings.ts";
import { weightsSourceOf, type WeightsSource, type ModelFinder, type Start } from "./weights-source.ts";
import { plainPolicy } from "./plain-policy.ts";
import { PythonPeer } from "./python-policy.ts";
import { readContent, type Recorded } from "../folder/record.ts";
import type { RunFolder } from "../folder/run-folder.ts";
import { checkSequences, type SpotCount } from "./spot-checks.ts";
import type { StepFacts } from "../step-facts.ts";
import { openReplay, passesOf, secondsPerPass, startOf, type Replay } from "./replay.ts";
import type { Weights } from "./weights-file.ts";

/** How much of a run's weights is checked, and by whom. */
export interface WeightOptions {
  /** Without a forward or backward pass. */
  readonly fast?: boolean;
  /** A Python with torch and transformers that moves the weights too. */
  readonly python?: string | undefined;
  /** In place of moving the weights: so many sequences of each step whose weights the folder holds. */
  readonly sample?: number | undefined;
  /** How long weights may be moved; what is left then is said. */
  readonly minutes?: number | undefined;
  /** Finds the model that the run names: what lies under an adapter, and what a run without first weights began with. */
  readonly findModel?: ModelFinder;
  /** Hears what is about to be done and how long it may take. */
  readonly note?: (text: string) => void;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** What is done with a run's weights, step by step. */
export interface WeightChecks {
  /** What moves them. */
  readonly by: readonly string[];
  /** The first step that it has to see. */
  readonly from: number;
  step(facts: StepFacts): Promise<void>;
  /** In words. */
  checked(): readonly string[];
  close(): Promise<void>;
}

/** Models of more parameters are spot-checked where nothing else is asked for: a step of theirs takes minutes and more. */
const maxMoved = 4e6;
const fewSequences = 8;

const nothing: WeightChecks = {
  by: [],
  from: Infinity,
  checked: () => [],
  step: async () => undefined,
  close: async () => undefined,
};

const tick = async (): Promise<void> => setImmediate();

/** Opens what checks the weights, and says how long that takes. */
export async function openWeights(
  run: RunFolder,
  [first, last]: readonly [first: number, last: number],
  findings: Findings,
  options: WeightOptions,
): Promise<WeightChecks> {
  const { fast = false, sample, minutes, findModel = nowhere } = options;
  const leaveOut = (why: string): WeightChecks => {
    findings.leaveOut("weights, gradient norms and log-probs", why);
    return nothing;
  };
  if (fast) return leaveOut("--fast");
  const source = await weightsSourceOf(run, findModel);
  if (typeof source === "string") return leaveOut(source);
  const opened = async (start: Start): Promise<readonly PolicyWeights[] | string> =>
    source.open(start).catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  const start = startOf(run, source, [first, last]);
  const from = typeof start === "string" || sample !== undefined ? spotStart(run, source, first, last) : start;
  if (!from)
    return leaveOut(typeof start === "string" ? start : "the folder holds no weights of before an audited step");
  const weights = await opened(from);
  if (typeof weights === "string") return leaveOut(weights);
  const parameters = weights.reduce((sum, { stored }) => sum + sizeOf(stored.frozen) + sizeOf(stored.weights), 0);
  const isReplay = from === start && (parameters <= maxMoved || minutes !== undefined);
  const tooLarge = memoryFor(weights, isReplay);
  if (tooLarge !== null) return leaveOut(tooLarge);
  if (!isReplay || sample !== undefined)
    return spotChecks(run, source, [first, last], findings, {
      ...options,
      sample: sample ?? fewSequences,
      from,
      weights,
    });
  if (from.step >= first)
    findings.leaveOut(
      `weights, gradient norms and log-probs of the steps ${first} to ${from.step}`,
      "the folder holds no weights of before them",
    );
  return replaysOf(run, source, last, findings, { ...options, from, weights });
}

async function nowhere(name: string): Promise<never> {
  throw new Error(`${name} was not looked for`);
}

function sizeOf(weights: Weights): number {
  let sum = 0;
  for (const { values } of weights.values()) sum += values.length;
  return sum;
}

/** In words, where this machine cannot hold what an audit holds: all in float64, moved weights with gradient, moments and copies. */
function memoryFor(weights: readonly PolicyWeights[], isReplay: boolean): string | null {
  const numbers = weights.reduce(
    (sum, { stored }) => sum + sizeOf(stored.frozen) + (isReplay ? 7 : 1) * sizeOf(stored.weights),
    0,
  );
  return 8 * numbers <= 0.7 * totalmem()
    ? null
    : `in float64 they take ${formatBytes(8 * numbers)}, more than this machine has to spare`;
}

interface Opened extends WeightOptions {
  readonly from: Start;
  readonly weights: readonly PolicyWeights[];
}

const nameOf = ({ step }: Start): string => (step === 0 ? "the first weights" : `the checkpoint of step ${step}`);

async function replaysOf(
  run: RunFolder,
  source: WeightsSource,
  last: number,
  findings: Findings,
  { from, weights, python, minutes, note = () => undefined, now }: Opened,
): Promise<WeightChecks> {
  const line = run.steps.get(from.step + 1) as Recorded;
  const [one] = weights as readonly [PolicyWeights];
  const seconds = passesOf(run, from.step + 1, last) * secondsPerPass(one.stored, readContent(line), now);
  note(
    `from ${nameOf(from)} to step ${last} in float64 JavaScript: about ${formatDuration(seconds)}; --minutes ends it earlier, --sample takes a few sequences, --steps a..b a part, --fast leaves the weights out`,
  );
  const [earliest] = source.starts;
  const first =
    earliest?.step !== 0 ? null : earliest === from ? weights : await source.open(earliest).catch(() => null);
  const start = { from, start: weights, first };
  const plain: PolicyMaker = async ({ stored }) => plainPolicy(stored);
  const replays: Replay[] = [
    await openReplay(run, start, { by: "plain JavaScript, float64", make: plain }, findings, tick),
  ];
  if (python !== undefined) {
    const peer = await PythonPeer.start(python);
    const make: PolicyMaker = ({ folder, base }) => peer.open(folder, base);
    const by = `PyTorch ${peer.version}, float64`;
    replays.push(await openReplay(run, start, { by, make, end: () => peer.close() }, findings, tick));
  }
  const began = now();
  let moved = from.step;
  let isOver = false;
  return {
    by: replays.map(({ by }) => by),
    from: from.step + 1,
    async step(facts) {
      const { step } = facts.step;
      if (step <= from.step || isOver) return;
      isOver = minutes !== undefined && (now() - began) / 60_000 >= minutes;
      if (isOver)
        return findings.leaveOut(
          `weights, gradient norms and log-probs of the steps ${step} to ${last}`,
          `--minutes ${minutes} were over; --steps ${step}..${last} goes on from the last checkpoint before`,
        );
      for (const { audit } of replays) await audit.step(facts);
      moved = step;
    },
    checked: () =>
      moved === from.step ? [] : [`all moved from ${nameOf(from)} through the steps ${from.step + 1} to ${moved}`],
    async close() {
      for (const { audit, end } of replays) {
        await audit.close();
        end?.();
      }
    },
  };
}

/** The first weights that a step follows whose record is asked for. */
function spotStart(run: RunFolder, { starts }: WeightsSource, first: number, last: number): Start | undefined {
  return starts.find(({ step }) => step + 1 >= first && step + 1 <= last && run.steps.has(step + 1));
}

async function spotChecks(
  run: RunFolder,
  source: WeightsSource,
  [first, last]: readonly [number, number],
  findings: Findings,
  { from, weights, sample, note = () => undefined, now }: Opened & { readonly sample: number },
): Promise<WeightChecks> {
  const starts = new Map(
    source.starts.flatMap((start) => {
      const next = start.step + 1;
      return next >= first && next <= last && run.steps.has(next) ? [[next, start] as const] : [];
    }),
  );
  const [step = first] = starts.keys();
  const content = readContent(run.steps.get(step) as Recorded);
  const [one] = weights as readonly [PolicyWeights];
  const tokens = content.utterances.flatMap(({ trace }) =>
    trace && trace.tokens.length > 0 ? [trace.promptTokens.length + trace.tokens.length] : [],
  );
  const mean = tokens.reduce((sum, each) => sum + each, 0) / Math.max(1, tokens.length);
  const seconds = starts.size * source.names.length * sample * mean * secondsPerPass(one.stored, content, now);
  note(
    `${sample} sequences of each of ${starts.size} steps whose weights the folder holds, in float64 JavaScript: about ${formatDuration(seconds)}; --sample says how many, --minutes moves all weights for so long`,
  );
  findings.leaveOut(
    "gradient norms, optimizer and moved weights",
    "a few sequences were computed under the weights that the folder holds; --minutes N moves the weights themselves",
  );
  const count: SpotCount = { steps: [], sequences: 0, of: 0 };
  return {
    by: ["spot checks in plain JavaScript, float64"],
    from: Math.min(...starts.keys()),
    async step(facts) {
      const start = starts.get(facts.step.step);
      if (!start) return;
      // The first were read to know how long it takes.
      const own = start === from ? weights : await source.open(start);
      await checkSequences(run, facts, own, { sample, count, tick });
    },
    checked: () =>
      count.steps.length === 0
        ? []
        : [`log-probs of ${count.sequences} of the ${count.of} sequences of the steps ${count.steps.join(", ")}`],
    close: async () => undefined,
  };
}
