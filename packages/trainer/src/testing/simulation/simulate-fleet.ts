import { randomFromSeed, statisticMean, statisticOf, type Random } from "@laconic/core";
import type { AsynchronousSettings } from "../../settings/config.ts";
import { groupScheduler, type StartedGroup } from "../../queue/group-scheduler.ts";
import { shareInUse } from "../../queue/share-in-use.ts";
import { streamOfAttempt } from "../../stages/attempts.ts";
import { drawLatency, type Latency } from "./latency.ts";
import { slots } from "./slots.ts";
import { timedEvents } from "./timed-events.ts";

/** What one Node process, which does one thing at a time, spends on an episode. */
export interface ControllerCosts {
  /** To start it. */
  readonly startSeconds: number;
  /** For each call of a model. */
  readonly callSeconds: number;
  /** To score it and train on it, without the engine's own time. */
  readonly trainSeconds: number;
}

/** A fleet of samplers, a trainer, and the controller between them. */
export interface FleetParameters {
  /** Calls that the samplers answer at once; others wait in line. */
  readonly slots: number;
  readonly groupsPerStep: number;
  readonly episodesPerGroup: number;
  /** One after the other. */
  readonly callsPerEpisode: number;
  readonly asynchronous: AsynchronousSettings;
  readonly latency: Latency;
  /** Share of calls that fail, halfway. */
  readonly failures: number;
  /** Of the trainer's engine, a step. */
  readonly updateSeconds: number;
  readonly controller: ControllerCosts;
  readonly steps: number;
  /** Steps at the beginning that are not counted; nor are the last `maxLag` + 1, in which fewer groups are started. */
  readonly warmUpSteps: number;
  readonly seed: string | number;
}

/** What came of it. */
export interface FleetForecast {
  /** Mean share of the slots that were in use. */
  readonly utilisation: number;
  readonly stepSeconds: number;
  readonly episodesPerSecond: number;
  /** Steps that a trained group was old. */
  readonly lag: { readonly mean: number; readonly p50: number; readonly p99: number; readonly max: number };
  /** Groups that came to nothing, and episodes that were played again, by trained ones. */
  readonly droppedShare: number;
  readonly retriedShare: number;
  readonly controller: {
    readonly utilisation: number;
    /** How long something that happened waited for the controller. */
    readonly delaySeconds: { readonly p50: number; readonly p99: number; readonly max: number };
  };
  /** Lags of each step, in the order in which it took its groups. */
  readonly lags: readonly (readonly number[])[];
}

/** Of a step's work in the controller, so much is done before others have their turn. */
const episodesPerPiece = 128;

/**
 * Plays a run in its head: the scheduler of asynchronous training, with simulated samplers and a simulated controller. No time
 * passes, nothing is trained; the same parameters give the same forecast. Random numbers are those of `train`: a fleet that
 * draws its latencies with `drawLatency` from the requests' own streams comes to the same lags, where the controller costs nothing.
 */
export function simulateFleet(parameters: FleetParameters): FleetForecast {
  const { groupsPerStep, episodesPerGroup, callsPerEpisode, asynchronous, controller, steps, warmUpSteps } = parameters;
  const { retries, cutStragglers, maxLag } = asynchronous;
  const random = randomFromSeed(parameters.seed);
  const scheduler = groupScheduler({ ...asynchronous, groupsPerStep, partsPerGroup: episodesPerGroup, steps });
  const events = timedEvents();
  const lastStep = Math.max(warmUpSteps + 1, steps - maxLag - 1);
  const stops = new Map<number, () => void>();
  const [lags, delays]: [number[][], number[]] = [[], []];
  let now = 0;
  let version = 0;
  let free = 0;
  let isTraining = false;
  let dropped = 0;
  let retried = 0;
  let from = 0;
  let until = 0;
  let utilisation = 0;
  let controllerUse = 0;
  const use = shareInUse(() => now);
  const fleet = slots(parameters.slots);
  const isCounted = (): boolean => version >= warmUpSteps && version < lastStep;
  let controllerBusy = 0;

  /** The controller does one thing after the other. */
  const work = (seconds: number, then: () => void): void => {
    const start = Math.max(now, free);
    if (isCounted()) delays.push(start - now);
    free = start + seconds;
    controllerBusy += seconds;
    if (free <= now) then();
    else events.at(free, then);
  };

  /** Calls a model; what it returns ends the call. */
  const call = (stream: Random, then: (failed: boolean) => void): (() => void) => {
    let callOff = (): void => undefined;
    const leave = fleet.enter(() => {
      const { seconds, fails } = drawCall(parameters, stream);
      callOff = events.at(now + seconds, () => {
        leave();
        use.now(fleet.busy);
        work(controller.callSeconds, () => then(fails));
      });
    });
    use.now(fleet.busy);
    return () => {
      callOff();
      leave();
      use.now(fleet.busy);
    };
  };

  const begin = ({ group }: StartedGroup): void => {
    const place = random.split(`step:${Math.floor(group / groupsPerStep)}`).split("rollout");
    const position = group % groupsPerStep;
    const calls = new Map<number, () => void>();
    let over = 0;
    let isOver = false;
    let callOff = (): void => undefined;
    const stop = (): void => {
      isOver = true;
      callOff();
      stops.delete(group);
      for (const end of calls.values()) end();
    };
    const finish = (): void => {
      stop();
      scheduler.complete(group);
    };
    const partOver = (): void => {
      over += 1;
      scheduler.partOver(group);
      if (over === episodesPerGroup) finish();
      else if (cutStragglers && over === Math.ceil(cutStragglers.afterShare * episodesPerGroup))
        callOff = events.at(now + cutStragglers.seconds, () => {
          finish();
          pump();
        });
    };
    const play = (part: number, attempt: number): void => {
      const own = streamOfAttempt(place.split(`problem:${position}/episode:${part}`), attempt);
      const speak = (turn: number): void => {
        const end = call(own.split(`turn:${turn}`), (failed) => {
          calls.delete(part);
          if (isOver) return;
          if (!failed && turn + 1 < callsPerEpisode) return speak(turn + 1);
          if (!failed) partOver();
          else if (attempt < retries) {
            retried += 1;
            return play(part, attempt + 1);
          } else {
            stop();
            scheduler.leave(group);
            dropped += 1;
          }
          pump();
        });
        calls.set(part, end);
      };
      if (!isOver) speak(0);
    };
    stops.set(group, stop);
    for (let part = 0; part < episodesPerGroup; part++) work(controller.startSeconds, () => play(part, 0));
  };

  const pump = (): void => {
    for (let started = scheduler.start(); started; started = scheduler.start()) begin(started);
    if (train()) pump();
  };

  const train = (): boolean => {
    const taken = isTraining ? null : scheduler.take();
    if (!taken) return false;
    isTraining = true;
    lags.push(taken.map((each) => version - each.version));
    const pieces = Math.ceil((taken.length * episodesPerGroup) / episodesPerPiece);
    const seconds = (controller.trainSeconds * taken.length * episodesPerGroup) / pieces;
    // With turns in between, for what happened meanwhile.
    const piece = (left: number): void => {
      if (left > 0) work(seconds, () => piece(left - 1));
      else events.at(now + parameters.updateSeconds, trained);
    };
    piece(pieces);
    return true;
  };

  const trained = (): void => {
    version += 1;
    isTraining = false;
    if (version === warmUpSteps) {
      use.mean();
      [from, controllerBusy, dropped, retried] = [now, 0, 0, 0];
    }
    if (version === lastStep) {
      until = now;
      utilisation = use.mean() / parameters.slots;
      controllerUse = controllerBusy / (until - from);
    }
    for (const { group } of scheduler.advance(version)) {
      stops.get(group)?.();
      dropped += 1;
    }
    pump();
  };

  pump();
  for (let event = events.next(); event && version < lastStep; event = events.next()) {
    now = event.time;
    event.go();
  }
  const counted = lags.slice(warmUpSteps, lastStep);
  const [inOrder, waits] = [sorted(counted.flat()), sorted(delays)];
  const groups = counted.length * groupsPerStep;
  const stepSeconds = (until - from) / counted.length;
  return {
    utilisation,
    stepSeconds,
    episodesPerSecond: (groupsPerStep * episodesPerGroup) / stepSeconds,
    lag: { mean: statisticMean(statisticOf(inOrder)), ...ranks(inOrder) },
    droppedShare: dropped / groups,
    retriedShare: retried / (groups * episodesPerGroup),
    controller: { utilisation: controllerUse, delaySeconds: ranks(waits) },
    lags,
  };
}

/** How long a call takes, and whether it then fails: half of its time is gone by then. */
export function drawCall(
  { latency, failures }: Pick<FleetParameters, "latency" | "failures">,
  random: Random,
): { readonly seconds: number; readonly fails: boolean } {
  const fails = random.uniform() < failures;
  const seconds = drawLatency(latency, random);
  return { seconds: fails ? seconds / 2 : seconds, fails };
}

function sorted(values: readonly number[]): Float64Array {
  return Float64Array.from(values).toSorted();
}

/** Nearest ranks; 0 of nothing. */
function ranks(inOrder: Float64Array): { readonly p50: number; readonly p99: number; readonly max: number } {
  const rank = (share: number): number => inOrder[Math.max(0, Math.ceil(share * inOrder.length) - 1)] ?? 0;
  return { p50: rank(0.5), p99: rank(0.99), max: rank(1) };
}
