import { LaconicError, type UnknownRecord, present } from "@laconic/core";
import { joinPath, type FileSystem } from "@laconic/core/files";
import { gzipMember, recordVersion, runFiles, type MemberHead, type RecordedEpisode } from "@laconic/core/run-folder";
import { gzipped, nodeFileSystem, nodeProcesses } from "#platform";
import type { Evaluation } from "../evaluate.ts";
import type { SinkOutcome } from "../sinks/metric-sink.ts";
import { lastOf, SinkSet } from "../sinks/sink-set.ts";
import type { ScoredRollout } from "../stages/score.ts";
import type { Metrics } from "../step-metrics.ts";
import {
  findCheckpoint,
  loadWeights,
  policiesIn,
  saveCheckpoint,
  saveWeights,
  settleCheckpoints,
  keepOpponent,
  loadOpponent,
  pruneOpponents,
} from "./checkpoint.ts";
import type { FoundCheckpoint, Models } from "./checkpoint.ts";
import { type LoopState } from "./loop-state.ts";
import { explainedFileSystem } from "../reading/explained-file-system.ts";
import { readLines } from "../reading/rows.ts";
import { replaceFile, toLine, lineAppender } from "./file-system.ts";
import { changedSettings, parseChangedSettings, settingsAt, type ChangedSetting } from "../reading/changed-settings.ts";
import { lockRun, type RunLock } from "./lock.ts";
import type { DroppedProblem } from "../queue/training-queue.ts";
import { stepClock, type StepClock, type Run, type RunObserver, type RunOptions } from "./recorder.ts";
import { changesOf, runManifest } from "../reading/run-manifest.ts";
import { checkSame, clear, continues, cutTraces, traceDigester, traceEnds, writeConfig } from "./stored-run.ts";
import { packEvaluation, packRollouts, packStep, type StepRecord } from "./step-record.ts";

/**
 * Creates or resumes a run directory.
 * @throws LaconicError `run_exists`, `run_missing`, `run_unwritable`, `run_locked`, or `checkpoint_mismatch` with the
 * changed setting or input and both values
 */
export async function openRun(options: RunOptions): Promise<Run> {
  const { directory, processes = nodeProcesses, resume = false } = options;
  const fs = explainedFileSystem(options.fileSystem ?? nodeFileSystem, directory);
  const isSaved = await continues(fs, directory, resume); // rejects before anything is created
  await fs.makeDirectory(joinPath(directory, runFiles.checkpoints));
  await fs.syncDirectory(joinPath(directory, "..")); // an earlier process may have died after creating it
  const lock = await lockRun(fs, directory, processes);
  const run = new RunDirectory(fs, options, lock);
  try {
    await run.open(isSaved);
    return run;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

interface Changes {
  readonly retained: readonly ChangedSetting[];
  readonly coming: readonly ChangedSetting[];
}

class RunDirectory implements Run {
  readonly #fs: FileSystem;
  readonly #options: RunOptions;
  readonly #observer: RunObserver;
  readonly #records: boolean;
  readonly #lock: RunLock;
  readonly #sinks: SinkSet;
  readonly #digests: ReturnType<typeof traceDigester>;
  readonly #appendWarning: ReturnType<typeof lineAppender>;
  readonly #appendReplies: ReturnType<typeof lineAppender>;
  /** Unwritten rows of `samplers.jsonl`. */
  #replies = "";
  readonly #shown = new Set<string>();
  readonly #written = new Set<unknown>();
  #manifest: ReturnType<typeof runManifest>;
  #changes: Changes | null = null;
  isResumed = false;
  #stepsDone = 0;
  #restored: Pick<FoundCheckpoint, "folder" | "manifest"> | null = null;

  constructor(fs: FileSystem, options: RunOptions, lock: RunLock) {
    this.#fs = fs;
    this.#options = options;
    this.#observer = options.observer ?? {};
    this.#records = options.records ?? true;
    this.#lock = lock;
    this.#appendWarning = lineAppender(fs, this.#path(runFiles.warnings));
    this.#appendReplies = lineAppender(fs, this.#path(runFiles.samplers));
    this.#digests = traceDigester(fs, options.directory);
    this.#sinks = new SinkSet(options.sinks ?? [], (message) => this.warn(message));
    this.#manifest = runManifest(options.config, options.inputs ?? {});
  }

  #path(name: string): string {
    return joinPath(this.#options.directory, name);
  }

  /** Creates or checks the folder's files, under the lock. */
  async open(isSaved: boolean): Promise<void> {
    const { directory, resume = false, config, environment } = this.#options;
    const fs = this.#fs;
    this.isResumed = (await continues(fs, directory, resume)) || isSaved; // another process may have been faster
    if (!this.isResumed) {
      if (resume === true) await checkSame(fs, directory, this.#options, async () => undefined);
      await clear(fs, directory);
    }
    for (const { message } of await readLines(fs, this.#path(runFiles.warnings))) this.#written.add(message);
    await removePartial(fs, this.#path(runFiles.checkpoints));
    if (this.isResumed) this.#manifest = await checkSame(fs, directory, this.#options, (message) => this.warn(message));
    else await writeConfig(fs, directory, this.#manifest);
    await fs.write(this.#path(runFiles.environment), `${JSON.stringify(environment, null, 2)}\n`);
    if (this.#lock.takenOver) await this.warn(this.#lock.takenOver);
    await this.#sinks.tell((sink) => sink.begin?.({ name: lastOf(directory), directory, config, environment }));
  }

  async restore(models: Models): Promise<LoopState | null> {
    if (!this.isResumed) return null;
    const fs = this.#fs;
    const { directory } = this.#options;
    let ends: ReadonlyMap<string, number> = new Map();
    const { folder, manifest, state, warnings } = await findCheckpoint(
      fs,
      this.#path(runFiles.checkpoints),
      "latest",
      async (match) => {
        this.#checkOwn(match);
        ends = await traceEnds(fs, directory, match.state.step, match.manifest.traces ?? null);
      },
    );
    for (const message of warnings) await this.warn(message);
    await loadWeights(folder, manifest, models);
    this.#restored = { folder, manifest };
    this.#changes = await this.#compareSettings(state.step, ends.get(runFiles.changes) ?? 0);
    // The changes file has the settings in effect and stays until the first step.
    await cutTraces(fs, directory, new Map([...ends].filter(([name]) => name !== runFiles.changes)));
    await settleCheckpoints(fs, this.#path(runFiles.checkpoints), state, this.#options.keepCheckpoints);
    if (state.opponents) await pruneOpponents(fs, directory);
    this.#stepsDone = state.step;
    await this.#sinks.replay(fs, this.#options);
    return state;
  }

  #checkOwn({ folder, manifest }: { readonly folder: string; readonly manifest: { readonly run?: string } }): void {
    const { run } = this.#manifest;
    if ((manifest.run ?? run) !== run)
      throw new LaconicError(
        "checkpoint_mismatch",
        `${folder} belongs to a run with other settings, weights or data (${manifest.run}, not ${run})`,
        { folder },
      );
  }

  /**
   * Changes due at the first step after a checkpoint. Changes of an earlier process after the checkpoint do not count.
   */
  async #compareSettings(step: number, bytesKept: number): Promise<Changes> {
    const file = this.#path(runFiles.changes);
    const bytes = (await this.#fs.exists(file)) ? await this.#fs.read(file) : new Uint8Array();
    const [retained, all] = [bytes.subarray(0, bytesKept), bytes].map((rows) =>
      parseChangedSettings(new TextDecoder().decode(rows), file),
    ) as [ChangedSetting[], ChangedSetting[]];
    const held = settingsAt(this.#manifest.config.settings, all, step);
    const undone = new Set(all.flatMap((change) => (change.step > step ? [change.key] : [])));
    const next = runManifest(this.#options.config, {}).config.settings;
    const adjustable = Object.keys(this.#options.adjustable ?? {});
    return { retained, coming: changedSettings({ held, next, step: step + 1 }, adjustable, undone) };
  }

  /** Writes changed settings at their first step. Rows come first, because they contain the old values. */
  async #adjust(): Promise<void> {
    const { retained = [], coming = [] } = this.#changes ?? {};
    this.#changes = null;
    if (coming.length === 0) return;
    const { directory, config: next, adjustable } = this.#options;
    const rows = [...retained, ...coming].map((change) => toLine({ ...change })).join("");
    await replaceFile(this.#fs, this.#path(runFiles.changes), rows);
    this.#manifest = { ...this.#manifest, config: runManifest(next, {}).config };
    await writeConfig(this.#fs, directory, this.#manifest);
    for (const { step, key, ...values } of coming)
      for (const change of changesOf(values.before, values.now, key))
        await this.warn(
          `from step ${step} on ${change.key} is ${change.now} instead of ${change.before}${adjustable?.[change.key] ?? ""}`,
        );
  }

  clock(): StepClock {
    return stepClock(this.#options.now);
  }

  async begin(models: Models): Promise<void> {
    const policies = policiesIn(models);
    // An adapter counts only its factors.
    const trained = Object.values(policies).reduce((sum, model) => sum + model.trainableParameters, 0);
    // Engines that report 0 store only names of weights here.
    if (this.#records && trained > 0 && trained <= maxRecordedParameters)
      await saveWeights(this.#fs, this.#options.directory, runFiles.beginning, { models: policies, step: 0 });
  }

  async keepOpponent(name: string, models: Models): Promise<void> {
    await keepOpponent(this.#fs, this.#options.directory, name, models);
  }

  async restoreOpponents(
    names: readonly string[],
    models: Models,
    take: (name: string) => Promise<void>,
  ): Promise<void> {
    for (const name of names) {
      await loadOpponent(this.#fs, this.#options.directory, name, models);
      await take(name);
    }
    if (this.#restored) await loadWeights(this.#restored.folder, this.#restored.manifest, policiesIn(models));
  }

  async record(record: StepRecord): Promise<void> {
    await this.#adjust();
    if (this.#records) await this.#keep("step", true, packStep(record));
  }

  async step(metrics: Metrics, clock: StepClock): Promise<void> {
    await this.#adjust(); // for recorders without records
    await this.#append(runFiles.metrics, [metrics]);
    this.#stepsDone = metrics["step"]!;
    await this.#append(runFiles.timing, [
      { step: metrics["step"], ...timesOf(metrics, clock), ...(await this.#options.measures?.()) },
    ]);
    await this.#writeReplies();
    await this.#sinks.log(metrics);
    this.#observer.step?.(metrics, clock);
  }

  async rollouts(step: number, rollouts: readonly ScoredRollout[]): Promise<void> {
    if (!this.#records && rollouts.length > 0) await this.#keep("step", false, packRollouts(step, rollouts));
  }

  async dropped(step: number, groups: readonly DroppedProblem[]): Promise<void> {
    if (groups.length > 0)
      await this.#append(
        runFiles.dropped,
        groups.map((group) => ({ step, ...group })),
      );
  }

  async evaluation(
    evaluation: Evaluation,
    episodes: readonly RecordedEpisode[],
    transcripts: number = episodes.length,
  ): Promise<void> {
    const shown = episodes.slice(0, transcripts);
    const retained = this.#records ? episodes : shown;
    if (retained.length > 0) await this.#keep("evaluation", this.#records, packEvaluation(evaluation.step, retained));
    await this.#append(runFiles.evaluations, [{ ...evaluation }]);
    await this.#sinks.evaluation(evaluation, shown);
    this.#observer.evaluation?.(evaluation);
  }

  async test(evaluation: Evaluation, episodes: readonly RecordedEpisode[]): Promise<void> {
    if (this.#records) {
      const member = await packedMember("evaluation", true, packEvaluation(evaluation.step, episodes));
      await this.#fs.write(this.#path(runFiles.testEpisodes), member);
    }
    await replaceFile(this.#fs, this.#path(runFiles.test), `${JSON.stringify(evaluation, null, 2)}\n`);
    this.#observer.test?.(evaluation);
  }

  async checkpoint(models: Models, state: LoopState): Promise<void> {
    const { directory, keepCheckpoints, policy } = this.#options;
    await this.#fs.syncDirectory(directory); // rows of new files must not be lost
    await saveCheckpoint(this.#fs, this.#path(runFiles.checkpoints), models, state, keepCheckpoints, {
      run: this.#manifest.run,
      traces: await this.#digests(),
      ...(policy && { policy }),
    });
    if (state.opponents) await pruneOpponents(this.#fs, directory);
    this.#observer.checkpoint?.(state.step);
  }

  async warn(message: string, step?: number): Promise<void> {
    if (!this.#shown.has(message)) this.#observer.warning?.(message);
    if (!this.#written.has(message)) await this.#appendWarning(toLine({ message, ...present({ step }) }));
    this.#shown.add(message);
    this.#written.add(message);
  }

  async warnOfServer(
    message: string,
    { server, state, reason }: Readonly<Record<"server" | "state" | "reason", string>>,
  ): Promise<void> {
    this.#observer.warning?.(message);
    const time = new Date().toISOString();
    await this.#appendWarning(toLine({ message, step: this.#stepsDone, time, server, state, reason }));
  }

  async close(outcome?: SinkOutcome): Promise<void> {
    try {
      await this.#writeReplies(); // replies of late evaluations, and of a step that failed to write
    } finally {
      await this.#sinks.tell((sink) => sink.close?.(outcome));
      await this.#lock.release();
    }
  }

  /** Unwritten rows are kept for the next try. */
  async #writeReplies(): Promise<void> {
    for (const reply of this.#options.replies?.() ?? []) this.#replies += toLine({ ...reply });
    if (this.#replies === "") return;
    const rows = this.#replies;
    await this.#appendReplies(rows);
    this.#replies = this.#replies.slice(rows.length);
  }

  async #append(file: string, rows: readonly UnknownRecord[]): Promise<void> {
    await this.#fs.append(this.#path(file), rows.map(toLine).join(""));
  }

  async #keep(kind: MemberHead["kind"], isComplete: boolean, content: { readonly step: number }): Promise<void> {
    await this.#fs.append(this.#path(runFiles.episodes), await packedMember(kind, isComplete, content));
  }
}

async function packedMember(
  kind: MemberHead["kind"],
  isComplete: boolean,
  content: { readonly step: number },
): Promise<Uint8Array> {
  const head: MemberHead = { step: content.step, kind, version: recordVersion, isComplete };
  return gzipMember(await gzipped(toLine({ ...head, ...content })), head);
}

function timesOf(metrics: Metrics, { seconds }: StepClock): Metrics {
  const times = Object.fromEntries(Object.entries(seconds).map(([phase, s]) => [`timing_s/${phase}`, s]));
  const [tokens = 0, rollout = 0] = [metrics["tokens/total"], seconds["rollout"]];
  return rollout > 0 ? { ...times, "perf/tokens_per_s": tokens / rollout } : times;
}

const maxRecordedParameters = 4e6;

/** Removes partial checkpoints; under the lock, because another process may be writing one. */
async function removePartial(fs: FileSystem, checkpoints: string): Promise<void> {
  for (const name of await fs.list(checkpoints))
    if (name.endsWith(".partial")) await fs.remove(joinPath(checkpoints, name));
}
