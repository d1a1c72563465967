import { LaconicError, thrownText } from "@laconic/core";
import { openRun, runFiles, runSpec, train, type Recorder, type TrainConfig } from "@laconic/trainer";
import { conversationOf, pointOf, teamOf } from "./conversation.ts";
import { runFolder, zipped, type WorkerFiles } from "./archive.ts";
import type { Glimpse, OwnProblem, WorkerMessage, Failure } from "./messages.ts";
import { adjustable, runConfig, trainConfig } from "./run-config.ts";
import type { PlaygroundSettings, Steering } from "./settings.ts";
import type { Team } from "./team.ts";

const shownWarmUpSteps = 20;

interface SessionParts {
  readonly team: Team;
  readonly files: WorkerFiles;
  readonly environment: Readonly<Record<string, unknown>>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly say: (message: WorkerMessage) => void;
}

/** Training run under user control. Commands during training wait for the end of the step. */
export class Session {
  readonly #parts: SessionParts;
  #settings: PlaygroundSettings;
  #step = 0;
  #abort: AbortController | null = null;
  #training: Promise<void> = Promise.resolve();
  #waiting: (() => Promise<void>)[] = [];
  #glimpse: Glimpse | null = null;

  constructor(parts: SessionParts, settings: PlaygroundSettings) {
    [this.#parts, this.#settings] = [parts, settings];
  }

  get settings(): PlaygroundSettings {
    return this.#settings;
  }

  glimpse(): Promise<Glimpse> {
    return this.#parts.team.glimpse();
  }

  /** Trains for a number of steps, or until paused. Resolves after training has ended and is saved. */
  async train(steps: number | null): Promise<void> {
    if (!this.#abort && this.#step < this.#settings.steps) await this.#start(steps);
  }

  async pause(): Promise<boolean> {
    const wasTraining = this.#abort !== null;
    this.#abort?.abort();
    await this.#training;
    return wasTraining;
  }

  /** Changes settings from the next step; recorded in the run folder. */
  adjust(change: { readonly steering?: Steering; readonly steps?: number }): Promise<void> {
    return this.#between(async () => {
      const { steering = this.#settings.steering, steps = this.#settings.steps } = change;
      const next = { ...this.#settings, steering, steps };
      runConfig(next); // throws for invalid settings
      this.#settings = next;
      this.#parts.say({ type: "settings", settings: next });
    });
  }

  async reset(settings: PlaygroundSettings): Promise<void> {
    runConfig(settings);
    await this.pause();
    await this.#parts.files.remove(runFolder);
    await this.#parts.team.begin();
    [this.#settings, this.#step] = [settings, 0];
  }

  async ask(problem: OwnProblem, draw: number): Promise<void> {
    const { team, say } = this.#parts;
    team.world.problemOf(problem); // throws for an invalid problem
    const work = async (): Promise<void> =>
      say({ type: "asked", step: this.#step, ...(await team.ask(problem, draw)) });
    if (!this.#abort) return work();
    return new Promise((resolve, reject) => this.#waiting.push(() => work().then(resolve, reject)));
  }

  exportRun(): Promise<void> {
    const { files, say } = this.#parts;
    return this.#between(async () => {
      if (!(await files.exists(`${runFolder}/${runFiles.checkpoints}/LATEST`)))
        throw new LaconicError("run_missing", "nothing to export yet: train one step first");
      say({ type: "exported", name: this.#name, archive: await zipped(files, runFolder, this.#name) });
    });
  }

  get #name(): string {
    return `${this.#settings.level}-seed-${this.#settings.seed}-step-${this.#step}`;
  }

  async #serveWaiting(): Promise<void> {
    for (const work of this.#waiting.splice(0)) await work();
  }

  async #between(work: () => Promise<void>): Promise<void> {
    const wasTraining = await this.pause();
    try {
      await work();
    } finally {
      if (wasTraining && this.#step < this.#settings.steps) void this.#start(null);
    }
  }

  #start(steps: number | null): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.#parts.say({ type: "training", active: true, step: this.#step });
    this.#training = this.#trainAndReport(steps === null ? Infinity : this.#step + steps, abort);
    return this.#training;
  }

  async #trainAndReport(lastStep: number, abort: AbortController): Promise<void> {
    const { say } = this.#parts;
    try {
      await this.#trainUntil(lastStep, abort);
    } catch (error) {
      if (abort.signal.aborted && LaconicError.is(error) && error.code === "aborted")
        say({ type: "warm-up", step: 0, steps: 0, loss: 0, episode: null });
      else say({ type: "failed", failure: failureOf(error) });
    }
    this.#abort = null;
    say({ type: "training", active: false, step: this.#step });
    await this.#serveWaiting();
  }

  async #trainUntil(lastStep: number, abort: AbortController): Promise<void> {
    const { team, files, say, environment, now } = this.#parts;
    await team.warmUp(this.#settings, {
      signal: abort.signal,
      onStep: (step, steps, loss) => this.#warmedUp(step, steps, loss),
    });
    // Same state as in a resumed process: the objective needs the first weights; the checkpoint has the current ones.
    if (this.#step > 0) await team.begin();
    const config = trainConfig(this.#settings);
    const run = await openRun({
      directory: runFolder,
      config: runConfig(this.#settings),
      environment,
      keepCheckpoints: config.checkpoint.keep,
      inputs: await team.inputs(),
      adjustable,
      ...(team.world.policy && { policy: team.world.policy }),
      resume: "where-possible",
      now,
      fileSystem: files,
      observer: { warning: (message) => say({ type: "warning", message }) },
    });
    try {
      if (this.#step === 0) say({ type: "evaluating" });
      const recorder = this.#recorder(run, config, lastStep, abort);
      await train(runSpec({ ...team.parts, settings: config }), { recorder, signal: abort.signal });
    } finally {
      await run.close();
    }
  }

  async #warmedUp(step: number, steps: number, loss: number): Promise<void> {
    const episode = step % shownWarmUpSteps === 0 ? (await this.glimpse()).episode : null;
    this.#parts.say({ type: "warm-up", step, steps, loss, episode });
    // Lets page messages arrive.
    if (step % 4 === 0) await new Promise((resolve) => setTimeout(resolve));
    await this.#serveWaiting();
  }

  #recorder(run: OpenedRun, config: TrainConfig, lastStep: number, abort: AbortController): Recorder {
    const { team, say } = this.#parts;
    const { world } = team;
    return {
      restore: (models) => run.restore(models),
      clock: () => run.clock(),
      begin: async (models) => run.begin?.(models),
      rollouts: (step, rollouts) => run.rollouts(step, rollouts),
      dropped: (step, groups) => run.dropped(step, groups),
      warn: (message) => run.warn(message),
      record: async (record) => {
        await run.record?.(record);
        const { scored } = record;
        const shown = scored[(record.step * config.episodesPerProblem) % scored.length] ?? scored[0];
        if (!shown) return;
        this.#glimpse = {
          team: teamOf(scored.map(({ episode, measured, terms }) => ({ episode, costs: measured.costs, terms }))),
          episode: conversationOf(world, shown.problem, shown.episode),
        };
      },
      step: async (metrics, clock) => {
        await run.step(metrics, clock);
        this.#step = Number(metrics["step"]);
        const point = pointOf(metrics, this.#settings.level);
        // If informed agents vary, shows one fixed problem.
        const glimpse = world.knows ? await team.glimpse(point.price) : this.#glimpse;
        if (glimpse) say({ type: "step", point, ...glimpse });
        if (this.#step >= lastStep) abort.abort();
        await this.#serveWaiting();
        if (this.#step === config.steps || this.#step % config.evaluation.every === 0) say({ type: "evaluating" });
      },
      checkpoint: (models, state) => run.checkpoint(models, state),
      evaluation: async (evaluation, episodes, transcripts) => {
        await run.evaluation(evaluation, episodes, transcripts);
        say({ type: "evaluation", evaluation });
      },
    };
  }
}

type OpenedRun = Awaited<ReturnType<typeof openRun>>;

export function failureOf(error: unknown): Failure {
  const message = thrownText(error);
  if (!LaconicError.is(error)) return { code: "unexpected", message };
  return { code: error.code, message: advised(error.code, message) };
}

function advised(code: LaconicError["code"], message: string): string {
  if (code === "device_unavailable" && message.includes("wasm SIMD"))
    return "This browser has no WebAssembly SIMD. Chrome 91, Firefox 89, Safari 16.4 and later versions have it. Node trains the same team: npx @laconic/cli quickstart.";
  if (code === "checkpoint_mismatch" || code === "checkpoint_corrupt")
    return `${message}. The run cannot continue here. Reset starts a new run.`;
  return message;
}
