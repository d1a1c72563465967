import { budgetStateShape, type PriceState } from "@laconic/budget";
import { boundedJson, LaconicError, type EvaluationPoint, type ProblemResult, type StoredWeights } from "@laconic/core";
import { joinPath, type FileDigest, type FileSystem } from "@laconic/core/files";
import { schemaOf } from "@laconic/core/schemas";
import * as z from "zod";
import { watchSchema, type DivergenceWatch } from "../divergence.ts";
import type { Evaluation } from "../evaluate.ts";
import type { OpponentState } from "../opponents/games.ts";
import type { ScheduleState } from "../queue/group-scheduler.ts";
import { explainWriteError, replaceFile } from "./file-system.ts";
import type { TraceDigests } from "./traces.ts";

/** Where the loop stands, beside the weights. Random streams derive from seed and step, so the step is their position. */
export interface LoopState {
  readonly step: number;
  /** The team's, by cost. */
  readonly budgets: Readonly<Record<string, PriceState>>;
  /** Of policies that have one of their own, by name. */
  readonly policyBudgets: Readonly<Record<string, PriceState>>;
  /** What estimators remember, by policy: plain data. */
  readonly estimators: Readonly<Record<string, unknown>>;
  readonly before: Evaluation;
  readonly after: Evaluation;
  /** Evaluation with the highest accuracy so far, and evaluations since. */
  readonly best: { readonly step: number; readonly accuracy: number; readonly since: number };
  /** Regular checkpoint with the highest mean grade of training, of a run that evaluates at its ends only. */
  readonly bestTrained?: { readonly step: number; readonly grade: number };
  /** Signs of a divergence, where they are watched. */
  readonly watch?: DivergenceWatch;
  /** What training has shown of each problem, by its id, where a curriculum chooses by it. */
  readonly results?: Readonly<Record<string, ProblemResult>>;
  /** Who is in the pool of opponents, and how games against them went. Their weights lie in the run's folder. */
  readonly opponents?: readonly OpponentState[];
  /** All so far, where a rule of the user's own says when to stop. */
  readonly evaluations?: readonly EvaluationPoint[];
  /** Such a rule said that the run is to end. */
  readonly isStopped?: boolean;
  /** Of an asynchronous run: the next new group, and those that were in flight and are played anew. */
  readonly queue?: ScheduleState;
}

const measured = {
  problems: z.int(),
  accuracy: z.number(),
  interval: z.tuple([z.number(), z.number()]).readonly(),
  tokens: z.number(),
  measures: z.record(z.string(), z.number()).exactOptional(),
  language: z
    .record(
      z.string(),
      z.strictObject({
        perplexity: z.number(),
        repetition: z.number(),
        vocabulary: z.number(),
        perplexityWithEnd: z.number().exactOptional(),
        templateEntropy: z.number().exactOptional(),
        commonestTemplate: z.number().exactOptional(),
      }),
    )
    .exactOptional(),
};

const evaluationSchema: z.ZodType<Evaluation> = z.strictObject({
  step: z.int(),
  ...measured,
  groups: z.record(z.string(), z.strictObject(measured)).exactOptional(),
  silence: z.record(z.string(), z.number()),
  scoring: z.strictObject({ scored: z.int(), undecided: z.int(), invalid: z.int(), error: z.int() }).exactOptional(),
  opponents: z
    .record(
      z.string(),
      z.strictObject({ games: z.int(), winRate: z.number(), interval: z.tuple([z.number(), z.number()]).readonly() }),
    )
    .exactOptional(),
});

/** Of a controller by name, or of one of the user's own. */
const priceStateSchema: z.ZodType<PriceState> = z.union([
  schemaOf(budgetStateShape),
  z.looseObject({ price: z.number().min(0) }),
]);

const resultSchema: z.ZodType<ProblemResult> = z.strictObject({
  plays: z.int().min(1),
  mean: z.number(),
  last: z.number(),
  lastStep: z.int().min(0),
});

const opponentSchema: z.ZodType<OpponentState> = z.strictObject({
  name: z.string().min(1),
  step: z.int().min(0).nullable(),
  games: z.int().min(0),
  points: z.number().min(0),
});

const pointSchema: z.ZodType<EvaluationPoint> = z.strictObject({
  step: z.int().min(0),
  accuracy: z.number(),
  tokens: z.number(),
  measures: z.record(z.string(), z.number()).exactOptional(),
});

const loopStateFields = {
  step: z.int().min(0),
  budgets: z.record(z.string(), priceStateSchema),
  policyBudgets: z.record(z.string(), priceStateSchema),
  estimators: z.record(z.string(), z.json()),
  before: evaluationSchema,
  after: evaluationSchema,
  best: z.strictObject({ step: z.int(), accuracy: z.number(), since: z.int() }),
  bestTrained: z.strictObject({ step: z.int(), grade: z.number() }).exactOptional(),
  watch: watchSchema.exactOptional(),
  results: z.record(z.string(), resultSchema).exactOptional(),
  opponents: z.array(opponentSchema).readonly().exactOptional(),
  evaluations: z.array(pointSchema).readonly().exactOptional(),
  isStopped: z.boolean().exactOptional(),
  queue: z.strictObject({ next: z.int().min(0), again: z.array(z.int().min(0)).readonly() }).exactOptional(),
} satisfies Record<keyof LoopState, z.ZodType>;

const loopStateSchema: z.ZodType<LoopState> = z.strictObject(loopStateFields);

/** As text, in one order of keys: that of a run which went on from one is another than that of a run which did not. */
function stateText(state: LoopState): string {
  const names = Object.keys(loopStateFields) as (keyof LoopState)[];
  const ordered = names.flatMap((name) => (state[name] === undefined ? [] : [[name, state[name]]]));
  return `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`;
}

/** What a checkpoint says of itself. */
export interface CheckpointManifest {
  readonly version: 1;
  readonly step: number;
  /** Of the run that it belongs to: `run` of its manifest. */
  readonly run?: string;
  /** The run directory's rows when it was saved. */
  readonly traces?: TraceDigests;
  readonly files: Readonly<Record<string, FileDigest>>;
}

const digestSchema = z.strictObject({ bytes: z.int(), sha256: z.string() });

const manifestSchema: z.ZodType<CheckpointManifest> = z.strictObject({
  version: z.literal(1),
  step: z.int(),
  run: z.string().exactOptional(),
  traces: z.record(z.string(), digestSchema).exactOptional(),
  files: z.record(z.string().regex(/^(?:[\w-]+(?:\.critic)?\/)?[\w.-]+$/), digestSchema),
});

/** Written beside each policy's weights: what a policy knows of itself. */
export const policyFile = "laconic.json";

/** What a checkpoint holds beside weights and loop state. */
export interface CheckpointFacts {
  readonly run?: string;
  readonly traces?: TraceDigests;
  /** Goes into {@link policyFile} of each policy. */
  readonly policy?: Readonly<Record<string, unknown>>;
}

/**
 * Saves a checkpoint so that a kill at any moment leaves either the whole of it or the one before: files into
 * `step-N.partial`, the manifest with sizes and hashes last, then one rename, then `LATEST`, then old steps go.
 */
export async function saveCheckpoint(
  fs: FileSystem,
  directory: string,
  models: Models,
  state: LoopState,
  keep: number,
  { policy, ...facts }: CheckpointFacts = {},
): Promise<void> {
  const step = checkpointName(state.step);
  const [partial, final] = [joinPath(directory, `${step}.partial`), joinPath(directory, step)];
  await fs.remove(partial);
  await fs.makeDirectory(partial);
  const saved = await saveModels(fs, directory, partial, models, policy);
  await fs.write(joinPath(partial, "state.json"), stateText(state));
  const manifest: CheckpointManifest = { version: 1, step: state.step, ...facts, files: {} };
  Object.assign(manifest.files, await digestsOf(fs, partial, [...saved, "state.json"]));
  await fs.write(joinPath(partial, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await fs.syncDirectory(partial);
  await fs.remove(final); // only a resumed run saves a step again
  await fs.rename(partial, final);
  await settleCheckpoints(fs, directory, state, keep);
}

/** `LATEST` names the checkpoint of a state, and old ones go. Who goes on from a checkpoint does what a kill behind its rename left undone. */
export async function settleCheckpoints(
  fs: FileSystem,
  directory: string,
  state: LoopState,
  keep: number,
): Promise<void> {
  const latest = joinPath(directory, "LATEST");
  const named = `${checkpointName(state.step)}\n`;
  if (!(await fs.exists(latest)) || (await text(fs, latest)) !== named) await replaceFile(fs, latest, named);
  const old = (await completeSteps(fs, directory)).slice(keep);
  const best = [state.best.step, state.bestTrained?.step ?? 0].map((each) => checkpointName(each));
  for (const each of old) if (!best.includes(each)) await fs.remove(joinPath(directory, each));
}

/** Writes and syncs every model into its place. @returns the file names */
async function saveModels(
  fs: FileSystem,
  directory: string,
  folder: string,
  models: Models,
  policy?: CheckpointFacts["policy"],
): Promise<string[]> {
  const saved: string[] = [];
  for (const [name, model] of Object.entries(models)) {
    const place = modelPlace(models, name);
    if (place !== "") await fs.makeDirectory(joinPath(folder, place));
    const files = await model.save(joinPath(folder, place)).catch((error: unknown) => {
      throw explainWriteError(error, directory);
    });
    saved.push(...files.map((file) => (place === "" ? file : `${place}/${file}`)));
    if (policy && !isCritic(name)) {
      await fs.write(joinPath(folder, place, policyFile), `${JSON.stringify(policy, null, 2)}\n`);
      saved.push(place === "" ? policyFile : `${place}/${policyFile}`);
    }
    if (place !== "") await fs.syncDirectory(joinPath(folder, place));
  }
  for (const file of saved) await fs.syncFile(joinPath(folder, file));
  return saved;
}

async function digestsOf(
  fs: FileSystem,
  folder: string,
  files: readonly string[],
): Promise<Record<string, FileDigest>> {
  const digests: Record<string, FileDigest> = {};
  for (const file of files) digests[file] = await fs.digest(joinPath(folder, file));
  return digests;
}

/**
 * Saves weights whole or not at all, with their checksums.
 * @param place - below the run's folder: of those that it begins with, which an audit starts from, or of an opponent
 */
export async function saveWeights(
  fs: FileSystem,
  directory: string,
  place: string,
  { models, step }: { readonly models: Models; readonly step: number },
): Promise<void> {
  const final = joinPath(directory, place);
  const partial = `${final}.partial`;
  await fs.remove(partial);
  await fs.makeDirectory(partial);
  const files = await digestsOf(fs, partial, await saveModels(fs, directory, partial, models));
  await fs.write(joinPath(partial, "manifest.json"), `${JSON.stringify({ version: 1, step, files }, null, 2)}\n`);
  await fs.syncDirectory(partial);
  await fs.remove(final);
  await fs.rename(partial, final);
}

/** Weights by policy, and by {@link criticOf} those that its estimator learns. */
export type Models = Readonly<Record<string, StoredWeights>>;

/** Names what the estimator of a policy learns; no policy has a dot in its name. */
export function criticOf(policy: string): string {
  return `${policy}.critic`;
}

/** The policies' own. */
export function policiesIn(models: Models): Models {
  return Object.fromEntries(Object.entries(models).filter(([name]) => !isCritic(name)));
}

function isCritic(name: string): boolean {
  return name.endsWith(".critic");
}

/** Folder of a policy's model in a checkpoint: the checkpoint itself where there is one policy, so that it opens as a model. */
export function modelPlace(policies: Readonly<Record<string, unknown>>, name: string): string {
  const alone = Object.keys(policies).filter((each) => !isCritic(each)).length === 1;
  return alone && !isCritic(name) ? "" : name;
}

/** A checkpoint that was found whole, and what was wrong with newer ones. */
export interface FoundCheckpoint {
  readonly folder: string;
  readonly state: LoopState;
  readonly manifest: CheckpointManifest;
  readonly warnings: readonly string[];
}

/** How often a run's checkpoints are looked for again, where the run that writes them removed one meanwhile. */
const maxLooks = 10;

/**
 * The newest checkpoint whose files agree with its manifest, or that of the run's best evaluation.
 * @param accept - throws for one that will not do, and why
 * @throws LaconicError `checkpoint_missing` when there is none at all, `checkpoint_corrupt` when every one is damaged,
 * and a `checkpoint_mismatch` of `accept`. A run may go on meanwhile: where it removed a checkpoint after it was listed, the newest is
 * looked for again.
 */
export async function findCheckpoint(
  fs: FileSystem,
  directory: string,
  which: "latest" | "best" = "latest",
  accept: (found: Omit<FoundCheckpoint, "warnings">) => Promise<void> = async () => undefined,
): Promise<FoundCheckpoint> {
  for (let look = 0; look < maxLooks; look++) {
    const found = await lookForCheckpoint(fs, directory, which, accept);
    if (found !== null) return found;
  }
  throw new LaconicError(
    "checkpoint_missing",
    `${directory}: its run removed each of ${maxLooks} checkpoints before it could be read; keep more of them, or wait for the run to end`,
    { directory },
  );
}

/** @returns null where one that was listed is gone */
async function lookForCheckpoint(
  fs: FileSystem,
  directory: string,
  which: "latest" | "best",
  accept: (found: Omit<FoundCheckpoint, "warnings">) => Promise<void>,
): Promise<FoundCheckpoint | null> {
  const steps = await completeSteps(fs, directory);
  if (steps.length === 0)
    throw new LaconicError(
      "checkpoint_missing",
      `${directory} holds no checkpoint to resume from; remove the run directory and start it again`,
      { directory },
    );
  const damage: string[] = [];
  for (const name of steps) {
    const warnings = damage.map((each) => `${each}; trying the one before`);
    let folder = joinPath(directory, name);
    try {
      const found = await verify(fs, folder);
      await accept(found);
      const best = checkpointName(found.state.bestTrained?.step ?? found.state.best.step);
      if (which === "latest" || best === name || !steps.includes(best)) return { ...found, warnings };
      folder = joinPath(directory, best);
      return { ...(await verify(fs, folder)), warnings };
    } catch (error) {
      if (LaconicError.is(error) && error.code === "checkpoint_mismatch") throw error;
      if (!(await fs.exists(folder))) return null;
      damage.push(`${folder}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  throw new LaconicError(
    "checkpoint_corrupt",
    `no checkpoint in ${directory} is whole and fits the run's files: ${damage.join("; ")}; put the files back, or train in another run directory`,
    { directory },
  );
}

/** @throws Error for a manifest that is damaged */
export async function readManifest(fs: FileSystem, folder: string): Promise<CheckpointManifest> {
  return manifestSchema.parse(boundedJson(await text(fs, joinPath(folder, "manifest.json"))));
}

async function verify(fs: FileSystem, folder: string): Promise<Omit<FoundCheckpoint, "warnings">> {
  const manifest = await checkFiles(fs, folder);
  return { folder, state: await stateIn(fs, folder), manifest };
}

/** @throws Error for a state that is missing or damaged */
export async function stateIn(fs: FileSystem, folder: string): Promise<LoopState> {
  return loopStateSchema.parse(boundedJson(await text(fs, joinPath(folder, "state.json"))));
}

/** Files against the checksums of their manifest. @throws Error for the first that differs */
export async function checkFiles(fs: FileSystem, folder: string): Promise<CheckpointManifest> {
  const manifest = await readManifest(fs, folder);
  for (const [file, expected] of Object.entries(manifest.files)) {
    const found = await fs.digest(joinPath(folder, file));
    if (found.bytes !== expected.bytes) throw new Error(`${file} has ${found.bytes} bytes, expected ${expected.bytes}`);
    if (found.sha256 !== expected.sha256) throw new Error(`${file} does not match its checksum`);
  }
  return manifest;
}

/** Newest first; `.partial` folders are not complete. */
export async function completeSteps(fs: FileSystem, directory: string): Promise<string[]> {
  if (!(await fs.exists(directory))) return [];
  return (await fs.list(directory))
    .filter((name) => /^step-\d+$/.test(name))
    .toSorted()
    .toReversed();
}

/** Its folder, in that of checkpoints. */
export function checkpointName(step: number): string {
  return `step-${String(step).padStart(8, "0")}`;
}

async function text(fs: FileSystem, path: string): Promise<string> {
  return new TextDecoder().decode(await fs.read(path));
}
