import { describe, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { tensorBoardReading } from "../../test/sinks/tensorboard-reading.ts";
import { wandbReading } from "../../test/sinks/wandb-reading.ts";
import { sinkCases, type SinkReading, type SinkSubject } from "../testing/index.ts";
import { validationMetrics } from "./validation-metrics.ts";
import { clean } from "./redact.ts";
import { tensorBoardSink } from "./tensorboard.ts";
import { wandbSink } from "./wandb.ts";

const newId = (): string => "abcd1234";

const subjects: Readonly<Record<string, () => Promise<SinkSubject>>> = {
  async tensorboard() {
    const directory = await temporaryFolder();
    const open = (): ReturnType<typeof tensorBoardSink> => tensorBoardSink({ directory, wallTime: () => 1000 });
    return { open, read: () => tensorBoardReading(directory) };
  },
  async wandb() {
    const directory = await temporaryFolder();
    let now = 1_800_000_000;
    const wallTime = (): number => (now += 0.4);
    const open = (): ReturnType<typeof wandbSink> => wandbSink({ directory, project: "p", newId, wallTime });
    return { open, read: () => wandbReading(directory) };
  },
  async "a sink that keeps its promises through withoutSecrets"() {
    const rows: Record<string, Record<number, number>> = {};
    const keep = (metrics: Readonly<Record<string, number>>, step: number): void => {
      for (const [name, value] of Object.entries(metrics)) (rows[name] ??= {})[step] = value;
    };
    return {
      open: () => clean({ log: keep, evaluation: (each) => keep(validationMetrics(each), each.step) }, ["a secret"]),
      read: (): SinkReading => rows,
    };
  },
  async "a sink of one function"() {
    const steps: Record<number, number> = {};
    return {
      open: () => ({ log: (metrics, step) => void (steps[step] = metrics["reward/mean"] ?? 0) }),
      read: () => ({ "reward/mean": steps }),
    };
  },
};

describe.each(Object.entries(subjects))("%s", (_, create) => {
  test.each(sinkCases.map((item) => [item.name, item] as const))("%s", (__, item) => item.run(create));
});
