import { LaconicError } from "@laconic/core";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { gzipMember, recordVersion, runFiles, type MemberHead } from "@laconic/core/run-folder";
import { nodeFileSystem, nodeProcesses } from "#platform";
import type { Evaluation } from "../evaluate.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { MetricSink, SinkOutcome } from "../sinks/metric-sink.ts";
import { sinkSet } from "../sinks/sink-set.ts";
import type { ScoredRollout } from "../stages/score.ts";
import type { Metrics } from "../stages/step-metrics.ts";
import {
  findCheckpoint,
  modelPlace,
  saveBeginning,
  saveCheckpoint,
  type LoopState,
  type Models,
} from "./checkpoint.ts";
import { explainedFileSystem, replaceFile } from "./file-system.ts";
import { changedSettings, parseChangedSettings, settingsAt, type ChangedSetting } from "./changed-settings.ts";
import { joined, readLines, toLine } from "./json-lines.ts";
import { gzipped } from "./gzipped.ts";
import { lastOf } from "./last-of.ts";
import { lockRun } from "./lock.ts";
import type { ProcessTable } from "./process-table.ts";
import { stepClock, type Recorder, type StepClock } from "./recorder.ts";
import { traceNames } from "./run-files.ts";
import { changesOf, runManifest } from "./run-manifest.ts";
import { checkSame, clear, continues, writeConfig } from "./stored-run.ts";
import { packEvaluation, packRollouts, packStep } from "./step-record.ts";
import { cutTraces, digestTraces, rowsOfCut, writeTraces, type CutTraces } from "./traces.ts";

/** What a caller sees while a run goes on. */
export interface RunObserver {
  step?(metrics: Metrics, clock: StepClock): void;
  evaluation?(evaluation: Evaluation): void;
  checkpoint?(step: number): void;
  warning?(message: string): void;
}

/** Where a run is stored, what it was made of, and whether it goes on from a checkpoint. */
export interface RunOptions {
  readonly directory: string;
  /** Saved as `config.json`; a resumed run must bring the same. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Saved as `environment.json`: versions, machine, device. */
  readonly environment: Readonly<Record<string, unknown>>;
  readonly keepCheckpoints: number;
  /** SHA-256 of what a run reads, by name (weights, tokenizer, data): a resumed run must bring the same. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** Settings, or groups of them, that a resumed run may bring otherwise, with what follows from it; a change is recorded as a warning. */
  readonly adjustable?: Readonly<Record<string, string>>;
  /** What a policy knows of itself: written beside its weights in every checkpoint. */
  readonly policy?: Readonly<Record<string, unknown>>;
  /**
   * `true` continues the last checkpoint. `where-possible` does so where there is one, and else starts, over again where a
   * run ended before its first. `false` starts, and refuses a directory that holds steps or checkpoints.
   */
  readonly resume?: boolean | "where-possible";
  /** Keep all of every step in `episodes.jsonl.gz`, not only what people read, and first weights of up to 4 million parameters that learn, for `laconic audit`. Default true. */
  readonly records?: boolean;
  readonly observer?: RunObserver;
  readonly sinks?: readonly MetricSink[];
  /** Monotonic milliseconds. */
  readonly now: () => number;
  /** Where the directory lies; folders of this machine by default. A browser has none: `memoryFileSystem()` of core, or an own. */
  readonly fileSystem?: FileSystem;
  readonly processes?: ProcessTable;
}

/** A recorder that can be closed: unlocks the directory and closes the sinks. */
export interface Run extends Recorder {
  /** @param outcome - what sinks are told of the end */
  close(outcome?: SinkOutcome): Promise<void>;
}

/**
 * Opens a run directory: a new one, or an existing one to resume.
 * @throws LaconicError `run_exists`, `run_missing`, `run_unwritable`, `run_locked`, or `checkpoint_mismatch` naming the
 * setting or input that changed, with what it was and is.
 */
export async function openRun(options: RunOptions): Promise<Run> {
  const { directory, processes = nodeProcesses, observer = {}, resume = false } = options;
  const fs = explainedFileSystem(options.fileSystem ?? nodeFileSystem, directory);
  const path = (name: string): string => joinPath(directory, name);
  await continues(fs, directory, resume); // refuses before anything is created

  await fs.makeDirectory(path(runFiles.checkpoints));
  const lock = await lockRun(fs, directory, processes);
  const [said, written] = [new Set<string>(), new Set<unknown>()];
  const warn = async (message: string): Promise<void> => {
    if (!said.has(message)) observer.warning?.(message);
    if (!written.has(message)) await fs.append(path(runFiles.warnings), toLine({ message }));
    said.add(message);
    written.add(message);
  };
  const sinks = sinkSet(options.sinks ?? [], warn);
  let manifest = runManifest(options.config, options.inputs ?? {});
  /** Of a resumed run: what changed up to its checkpoint, and with the step that comes. */
  let changes: { readonly kept: readonly ChangedSetting[]; readonly coming: readonly ChangedSetting[] } | null = null;
  let isResumed = false;
  try {
    isResumed = await continues(fs, directory, resume); // another process may have been here meanwhile
    if (!isResumed) await clear(fs, directory);
    for (const { message } of await readLines(fs, path(runFiles.warnings))) written.add(message);
    await removePartial(fs, path(runFiles.checkpoints));
    if (isResumed) manifest = await checkSame(fs, directory, options, warn);
    else await writeConfig(fs, directory, manifest);
    await fs.write(path(runFiles.environment), `${JSON.stringify(options.environment, null, 2)}\n`);
    if (lock.takenOver) await warn(lock.takenOver);
    await sinks.begin({
      name: lastOf(directory),
      directory,
      config: options.config,
      environment: options.environment,
    });
  } catch (error) {
    await lock.release();
    throw error;
  }
  /** What is to change with the first step behind a checkpoint. What an earlier process changed behind it did not come to pass. */
  const compareSettings = async (step: number, upToCheckpoint: string): Promise<typeof changes> => {
    const file = path(runFiles.changes);
    const kept = parseChangedSettings(upToCheckpoint, file);
    const text = (await fs.exists(file)) ? new TextDecoder().decode(await fs.read(file)) : "";
    const all = parseChangedSettings(text, file);
    const held = settingsAt(manifest.config.settings, all, step);
    const undone = new Set(all.flatMap((each) => (each.step > step ? [each.key] : [])));
    const next = runManifest(options.config, {}).config.settings;
    const coming = changedSettings({ held, next, step: step + 1 }, Object.keys(options.adjustable ?? {}), undone);
    return { kept, coming };
  };
  /** Keeps settings that changed, once a step is taken under them: the rows first, because they tell what held before. */
  const adjust = async (): Promise<void> => {
    const { kept = [], coming = [] } = changes ?? {};
    changes = null;
    if (coming.length === 0) return;
    await replaceFile(fs, path(runFiles.changes), [...kept, ...coming].map((each) => toLine({ ...each })).join(""));
    const { config } = runManifest(options.config, {});
    manifest = { ...manifest, config };
    await writeConfig(fs, directory, manifest);
    for (const { step, key, ...values } of coming)
      for (const change of changesOf(values.before, values.now, key))
        await warn(
          `from step ${step} on ${change.key} is ${change.now} instead of ${change.before}${options.adjustable?.[change.key] ?? ""}`,
        );
  };

  const { records = true } = options;
  const keep = async (kind: MemberHead["kind"], isComplete: boolean, content: { readonly step: number }) => {
    const head: MemberHead = { step: content.step, kind, version: recordVersion, isComplete };
    await fs.append(path(runFiles.episodes), gzipMember(await gzipped(toLine({ ...head, ...content })), head));
  };

  return {
    async restore(models: Models): Promise<LoopState | null> {
      if (!isResumed) return null;
      let cut: CutTraces = { cuts: {}, repairs: [] };
      const { folder, state, warnings } = await findCheckpoint(
        fs,
        path(runFiles.checkpoints),
        "latest",
        async (found) => {
          if ((found.manifest.run ?? manifest.run) !== manifest.run)
            throw new LaconicError(
              "checkpoint_mismatch",
              `${found.folder} belongs to another run, of other settings, weights or data (${found.manifest.run}, not ${manifest.run})`,
              { folder: found.folder },
            );
          cut = await cutTraces(fs, directory, traceNames, found.state.step, found.manifest.traces ?? null);
        },
      );
      for (const message of [...warnings, ...cut.repairs]) await warn(message);
      for (const [name, model] of Object.entries(models)) await model.load(joinPath(folder, modelPlace(models, name)));
      const { [runFiles.changes]: changed, ...cuts } = cut.cuts;
      const kept: Uint8Array[] = [];
      if (changed) for await (const row of rowsOfCut(fs, path(runFiles.changes), changed)) kept.push(row);
      changes = await compareSettings(state.step, new TextDecoder().decode(joined(kept)));
      await writeTraces(fs, directory, { ...cut, cuts });
      await sinks.replay(fs, options);
      return state;
    },
    clock: () => stepClock(options.now),
    async begin(models) {
      // Of an adapter its factors: what lies under it stays as it is.
      const trained = Object.values(models).reduce((sum, model) => sum + model.trainableParameters, 0);
      // An engine that does not know how many there are keeps them elsewhere: its files are names of theirs.
      if (records && trained > 0 && trained <= maxRecordedParameters) await saveBeginning(fs, directory, models);
    },
    async record(record) {
      await adjust();
      if (records) await keep("step", true, packStep(record));
    },
    async step(metrics, clock) {
      await adjust(); // a recorder that keeps no records begins here
      await fs.append(path(runFiles.metrics), toLine(metrics));
      await fs.append(path(runFiles.timing), toLine({ step: metrics["step"], ...timesOf(metrics, clock) }));
      await sinks.log(metrics);
      observer.step?.(metrics, clock);
    },
    async rollouts(step, rollouts: readonly ScoredRollout[]) {
      if (!records && rollouts.length > 0) await keep("step", false, packRollouts(step, rollouts));
    },
    async dropped(step, groups) {
      if (groups.length > 0)
        await fs.append(path(runFiles.dropped), groups.map((each) => toLine({ step, ...each })).join(""));
    },
    async evaluation(evaluation: Evaluation, episodes: readonly RecordedEpisode[], transcripts = episodes.length) {
      const shown = episodes.slice(0, transcripts);
      const kept = records ? episodes : shown;
      if (kept.length > 0) await keep("evaluation", records, packEvaluation(evaluation.step, kept));
      await fs.append(path(runFiles.evaluations), toLine({ ...evaluation }));
      await sinks.evaluation(evaluation, shown);
      observer.evaluation?.(evaluation);
    },
    async checkpoint(models, state) {
      await fs.syncDirectory(directory); // rows of files that are new must not be lost behind it
      const traces = await digestTraces(fs, directory, traceNames);
      await saveCheckpoint(fs, path(runFiles.checkpoints), models, state, options.keepCheckpoints, {
        run: manifest.run,
        traces,
        ...(options.policy && { policy: options.policy }),
      });
      observer.checkpoint?.(state.step);
    },
    warn,
    async close(outcome) {
      await sinks.close(outcome);
      await lock.release();
    },
  };
}

/** Seconds by phase, and how fast the rollout wrote. */
function timesOf(metrics: Metrics, { seconds }: StepClock): Metrics {
  const times = Object.fromEntries(Object.entries(seconds).map(([phase, s]) => [`timing_s/${phase}`, s]));
  const [tokens = 0, rollout = 0] = [metrics["tokens/total"], seconds["rollout"]];
  return rollout > 0 ? { ...times, "perf/tokens_per_s": tokens / rollout } : times;
}

/** 16 MB of float32. */
const maxRecordedParameters = 4e6;

/** What a kill left of a checkpoint; under the lock, because another process may be writing one. */
async function removePartial(fs: FileSystem, checkpoints: string): Promise<void> {
  for (const name of await fs.list(checkpoints))
    if (name.endsWith(".partial")) await fs.remove(joinPath(checkpoints, name));
}
