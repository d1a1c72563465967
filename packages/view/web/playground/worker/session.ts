import { LaconicError } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { openRun, runFiles, train, type Recorder } from "@laconic/trainer";
import { replaceFolder, unzipped, zipped } from "./archive.ts";
import { conversationOf, pointOf, teamOf } from "./conversation.ts";
import { runFolder, type KeptFiles } from "./kept-files.ts";
import { failureOf } from "./failure.ts";
import type { Glimpse, OwnProblem, RunView, Twist, WorkerMessage } from "./messages.ts";
import { adjustable, runConfig, settingsOf, trainConfig } from "./run-config.ts";
import { emptyView, shownProblems, viewOfRun } from "./run-view.ts";
import type { PlaygroundSettings, Steering } from "./settings.ts";
import type { Team } from "./team.ts";

/** Steps of a warm start after which the team is listened to. */
const shownWarmUpSteps = 20;

export interface SessionParts {
  readonly team: Team;
  readonly files: KeptFiles;
  /** Written into the run folder: what it was computed on. */
  readonly environment: Readonly<Record<string, unknown>>;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly say: (said: WorkerMessage) => void;
  /** Whether the files outlive the page; a run that they do not keep is said with every checkpoint. */
  readonly isKept: () => boolean;
}

/** A run that a visitor starts, stops and steers. Whatever is asked while it trains waits for the end of the step. */
export interface Session {
  view(): Promise<RunView>;
  glimpse(): Promise<Glimpse>;
  /** Trains so many steps, or until told to pause. Resolves when it trains no more and is saved. */
  train(steps: number | null): Promise<void>;
  pause(): Promise<void>;
  /** Writes a checkpoint; training goes on behind it. */
  save(): Promise<void>;
  /** Holds from the next step on; the run folder says so. */
  adjust(change: { readonly steering?: Steering; readonly steps?: number }): Promise<void>;
  reset(settings: PlaygroundSettings): Promise<void>;
  ask(problem: OwnProblem, draw: number, twist?: Twist): Promise<void>;
  exportRun(): Promise<void>;
  importRun(archive: Uint8Array): Promise<void>;
}

/** Continues the run in the files, or begins one. */
export async function openSession(parts: SessionParts, first: PlaygroundSettings): Promise<Session> {
  const { team, files, say } = parts;
  const { world } = team;
  let settings = first;
  let step = 0;
  let stop: AbortController | null = null;
  let training: Promise<void> = Promise.resolve();
  let waiting: (() => Promise<void>)[] = [];

  const view = async (): Promise<RunView> =>
    (await viewOfRun(files, runFolder, world, first.level)) ?? emptyView(settings);
  const opened = async (): Promise<void> => {
    const run = await view();
    ({ settings, step } = run);
  };
  await opened();

  const nameOf = (): string => `${settings.level}-seed-${settings.seed}-step-${step}`;
  /** Between two steps, or now where nothing trains. */
  const whenIdle = async (work: () => Promise<void>): Promise<void> => {
    if (!stop) return work();
    return new Promise((resolve, reject) => waiting.push(() => work().then(resolve, reject)));
  };
  const serve = async (): Promise<void> => {
    const now = waiting;
    waiting = [];
    for (const work of now) await work();
  };
  /** @returns whether it was training */
  const halt = async (): Promise<boolean> => {
    const wasTraining = stop !== null;
    stop?.abort();
    await training;
    return wasTraining;
  };

  const trainUntil = async (limit: number, abort: AbortController): Promise<void> => {
    await team.warmUp(settings, {
      signal: abort.signal,
      async onStep(at, steps, loss) {
        const episode = at % shownWarmUpSteps === 0 ? (await team.glimpse()).episode : null;
        say({ type: "warm-up", step: at, steps, loss, episode });
        // What was asked meanwhile is heard.
        if (at % 4 === 0) await new Promise((resolve) => setTimeout(resolve));
        await serve();
      },
    });
    // As a process that resumes: what the training compares with are the weights of the beginning, and the checkpoint brings those of now.
    if (step > 0) await team.begin();
    let seen: Glimpse | null = null;
    const config = trainConfig(settings);
    const run = await openRun({
      directory: runFolder,
      config: runConfig(settings),
      environment: parts.environment,
      keepCheckpoints: config.checkpoint.keep,
      checkpointEvery: config.checkpoint.every,
      inputs: await team.inputs(),
      adjustable,
      ...(world.policy && { policy: world.policy }),
      resume: "where-possible",
      now: parts.now,
      fileSystem: files,
      observer: { warning: (message) => say({ type: "warning", message }) },
    });
    const recorder: Recorder = {
      restore: (models) => run.restore(models),
      clock: () => run.clock(),
      begin: async (models) => run.begin?.(models),
      rollouts: (at, rollouts) => run.rollouts(at, rollouts),
      dropped: (at, groups) => run.dropped(at, groups),
      warn: (message) => run.warn(message),
      async record(record) {
        await run.record?.(record);
        const { scored } = record;
        const shown = scored[(record.step * config.episodesPerProblem) % scored.length] ?? scored[0];
        if (!shown) return;
        seen = {
          team: teamOf(scored.map(({ episode, measured, terms }) => ({ episode, costs: measured.costs, terms }))),
          episode: conversationOf(world, shown.problem, shown.episode),
        };
      },
      async step(metrics, clock) {
        await run.step(metrics, clock);
        step = Number(metrics["step"]);
        const seconds = Object.values(clock.seconds).reduce((sum, each) => sum + each, 0);
        const point = pointOf(metrics, settings.level);
        // Where who knows is another one each time, one problem is followed.
        const { episode } = world.knows ? await team.glimpse() : (seen ?? {});
        if (seen && episode) say({ type: "step", point, ...seen, episode, seconds });
        if (step >= limit) abort.abort();
        await serve();
        if (step === config.steps || step % config.evaluation.every === 0) say({ type: "evaluating", step });
      },
      async checkpoint(models, state) {
        await run.checkpoint(models, state);
        const archive = parts.isKept() ? null : await zipped(files, runFolder, nameOf());
        say({ type: "saved", step: state.step, archive });
      },
      async evaluation(evaluation, episodes, transcripts) {
        await run.evaluation(evaluation, episodes, transcripts);
        const { accuracy, interval, tokens, problems } = evaluation;
        const shown = episodes
          .slice(0, shownProblems)
          .map(({ problem, episode }) => conversationOf(world, problem, episode));
        say({
          type: "evaluation",
          evaluation: { step: evaluation.step, accuracy, interval, tokens, problems, shown },
        });
      },
    };
    try {
      if (step === 0) say({ type: "evaluating", step: 0 });
      await train({ ...team.parts, settings: config, recorder, signal: abort.signal });
    } finally {
      await run.close();
    }
  };

  const begin = (steps: number | null): Promise<void> => {
    const abort = new AbortController();
    stop = abort;
    say({ type: "training", active: true, step, done: false });
    training = (async () => {
      try {
        await trainUntil(steps === null ? Number.POSITIVE_INFINITY : step + steps, abort);
      } catch (error) {
        if (abort.signal.aborted && LaconicError.is(error) && error.code === "aborted")
          say({ type: "warm-up", step: 0, steps: 0, loss: 0, episode: null });
        else say({ type: "failed", failure: failureOf("train", error) });
      }
      stop = null;
      say({ type: "training", active: false, step, done: step >= settings.steps });
      await serve();
    })();
    return training;
  };
  /** Stops, does something, and goes on where it was training. */
  const between = async (work: () => Promise<void>): Promise<void> => {
    const goesOn = await halt();
    try {
      await work();
    } finally {
      if (goesOn && step < settings.steps) void begin(null);
    }
  };
  /** Another run in the place of this one. */
  const replaced = async (write: () => Promise<void>): Promise<void> => {
    await halt();
    await write();
    await team.begin();
  };

  return {
    view,
    glimpse: () => team.glimpse(),
    async train(steps) {
      if (stop || step >= settings.steps) return;
      await begin(steps);
    },
    async pause() {
      await halt();
    },
    save: () => between(async () => undefined),
    adjust: ({ steering = settings.steering, steps = settings.steps }) =>
      between(async () => {
        settings = { ...settings, steering, steps };
        runConfig(settings); // refuses what cannot be
        say({ type: "settings", settings });
      }),
    async reset(next) {
      runConfig(next);
      await world.canBegin?.();
      await replaced(() => files.remove(runFolder));
      settings = next;
      step = 0;
    },
    async ask(own, draw, twist) {
      world.problemOf(own); // refuses at once what is none
      await whenIdle(async () => say({ type: "asked", step, ...(await team.ask(own, draw, twist ?? null)) }));
    },
    exportRun: () =>
      between(async () => {
        if (!(await files.exists(`${runFolder}/${runFiles.checkpoints}/LATEST`)))
          throw new LaconicError("run_missing", "there is nothing to export yet: train a step first");
        const name = nameOf();
        say({ type: "exported", name, archive: await zipped(files, runFolder, name) });
      }),
    async importRun(archive) {
      const content = unzipped(archive);
      const config = content.get(runFiles.config);
      const { device } = settingsOf(
        boundedJson(new TextDecoder().decode(config)) as Record<string, unknown>,
        settings.level,
      );
      if (device !== settings.device)
        throw new LaconicError(
          "config_invalid",
          `this run was trained on ${device}: start another run on ${device} first, then open it`,
          { key: "device" },
        );
      if (!content.has("checkpoints/LATEST"))
        throw new LaconicError("checkpoint_missing", "this archive holds no checkpoint to go on from");
      await replaced(() => replaceFolder(files, runFolder, content));
      await opened();
    },
  };
}
