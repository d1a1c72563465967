import type { Evaluation } from "../evaluate.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { MetricSink, SinkRun } from "../sinks/metric-sink.ts";
import { evaluationAt, hostileEpisode, metricsAt, sinkRun } from "./sink-story.ts";

/** Stored values of a sink by name and step; the last value counts. */
export type SinkReading = Readonly<Record<string, Readonly<Record<number, number>>>>;

/** Sink under test. */
export interface SinkSubject {
  /** Opens a sink for the same run each time. Later ones resume the earlier data. */
  readonly open: () => MetricSink | Promise<MetricSink>;
  /** Values received after closing, by metric name; absent if unreadable. */
  readonly read?: () => SinkReading | Promise<SinkReading>;
  readonly directory?: string;
  readonly close?: () => void | Promise<void>;
}

export interface SinkCase {
  readonly name: string;
  readonly run: (create: () => SinkSubject | Promise<SinkSubject>) => Promise<void>;
}

async function tell(sink: MetricSink, run: SinkRun, steps: number, tale: Partial<Tale> = {}): Promise<void> {
  const { metrics = metricsAt, evaluation = evaluationAt, episodes = [hostileEpisode] } = tale;
  await sink.begin?.(frozen(run));
  await sink.evaluation?.(frozen(evaluation(0)));
  await sink.transcripts?.(frozen(episodes), 0);
  for (let step = 1; step <= steps; step++) {
    await sink.log(frozen(metrics(step)), step);
    if (step % 2 === 1) continue;
    await sink.evaluation?.(frozen(evaluation(step)));
    await sink.transcripts?.(frozen(episodes), step);
  }
}

interface Tale {
  readonly metrics: (step: number) => Record<string, number>;
  readonly evaluation: (step: number) => Evaluation;
  readonly episodes: readonly RecordedEpisode[];
}

async function secondStepIsTold(subject: SinkSubject): Promise<void> {
  const wanted = metricsAt(2)["reward/mean"];
  equal((await subject.read?.())?.["reward/mean"]?.[2] ?? wanted, wanted, "step 2");
}

/** Conformance cases as data: `for (const item of sinkCases) test(item.name, () => item.run(create))`. */
export const sinkCases: readonly SinkCase[] = [
  {
    name: "it is told a run from beginning to end, and keeps each value at its step",
    run: withSubject(async (subject, run) => {
      const sink = await subject.open();
      await tell(sink, run, 6);
      await sink.close?.("finished");
      const reported = await subject.read?.();
      if (!reported) return;
      for (let step = 1; step <= 6; step++)
        equal(reported["reward/mean"]?.[step], metricsAt(step)["reward/mean"], `step ${step}`);
      if (!sink.evaluation) return;
      for (const step of [0, 2, 4, 6])
        equal(reported["validation/accuracy"]?.[step], evaluationAt(step).accuracy, `validation at ${step}`);
      equal(reported["validation/accuracy_low"]?.[6], evaluationAt(6).interval?.[0], "the low end of the interval");
      equal(reported["validation/silence/solver"]?.[6], evaluationAt(6).silence["solver"], "silence of an agent");
      equal(reported["validation/group/known/accuracy"]?.[6], evaluationAt(6).groups?.["known"]?.accuracy, "a group");
    }),
  },
  {
    name: "a resumed run tells all from the beginning, and each step is there once, as it was told last",
    run: withSubject(async (subject, run) => {
      for (const steps of [3, 6]) {
        const sink = await subject.open();
        await tell(sink, run, steps);
        await sink.close?.(steps === 6 ? "finished" : "interrupted");
      }
      const reported = await subject.read?.();
      if (!reported) return;
      equal(Object.keys(reported["reward/mean"] ?? {}).length, 6, "steps");
      equal(reported["reward/mean"]?.[2], metricsAt(2)["reward/mean"], "step 2");
    }),
  },
  {
    name: "numbers that are none are left out or kept, and harm nothing beside them",
    run: withSubject(async (subject, run) => {
      const sink = await subject.open();
      await tell(sink, run, 2, {
        metrics: (step) => ({ ...metricsAt(step), "actor/bad": [Number.NaN, Infinity, -Infinity][step] ?? 0 }),
      });
      await sink.close?.("finished");
      await secondStepIsTold(subject);
    }),
  },
  {
    name: "names of agents and metrics, and texts of models, may be anything, and a megabyte long",
    run: withSubject(async (subject, run) => {
      const sink = await subject.open();
      const name = "silence/../../<b>‮\u0007x\n/frac";
      const { episode } = hostileEpisode;
      const utterances = episode.utterances.map((utterance) => ({ ...utterance, text: utterance.text.repeat(40_000) }));
      await tell(sink, run, 2, {
        metrics: (step) => ({ ...metricsAt(step), [name]: 0.5, [`x/${"y".repeat(400)}`]: 1 }),
        episodes: [hostileEpisode, { ...hostileEpisode, episode: { ...episode, utterances } }],
      });
      await sink.close?.("finished");
      await secondStepIsTold(subject);
    }),
  },
  {
    name: "one that was told nothing closes, and one that is closed closes again",
    run: withSubject(async (subject) => {
      const sink = await subject.open();
      await sink.close?.();
      await sink.close?.("failed");
    }),
  },
  {
    name: "what it misses of the optional, it does without: steps alone are enough",
    run: withSubject(async (subject, run) => {
      const sink = await subject.open();
      await sink.begin?.(run);
      for (let step = 1; step <= 3; step++) await sink.log(frozen(metricsAt(step)), step);
      await sink.close?.("interrupted");
      const reported = await subject.read?.();
      if (reported) equal(Object.keys(reported["reward/mean"] ?? {}), ["1", "2", "3"], "steps");
    }),
  },
];

function withSubject(check: (subject: SinkSubject, run: SinkRun) => Promise<void>): SinkCase["run"] {
  return async (create) => {
    const subject = await create();
    try {
      await check(subject, { ...sinkRun, directory: subject.directory ?? sinkRun.directory });
    } finally {
      await subject.close?.();
    }
  };
}

function equal(match: unknown, expected: unknown, what: string): void {
  const isNear =
    typeof match === "number" &&
    typeof expected === "number" &&
    Math.abs(match - expected) < 1e-6 * Math.max(1, Math.abs(expected));
  if (!isNear && JSON.stringify(match) !== JSON.stringify(expected))
    throw new Error(`${what}: got ${JSON.stringify(match)}, expected ${JSON.stringify(expected)}`);
}

/** Detects sinks that change their inputs. */
function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) frozen(item);
  return value;
}
