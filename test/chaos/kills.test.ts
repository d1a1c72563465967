import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { complaintAbout, done, isLong, laconic, startLaconic, temporary, type Ended } from "./laconic-process.ts";
import { contentOf, goOn, trainWords, wholeRun } from "./small-run.ts";

const preload = join(import.meta.dirname, "kill-at-write.mjs");

const words = (run: string): readonly string[] => trainWords(run, wholeRun);

interface Straight {
  readonly content: Readonly<Record<string, string>>;
  readonly writes: number;
  readonly milliseconds: number;
}

let straight: Straight;
beforeAll(async () => {
  const folder = await temporary();
  const started = performance.now();
  const { ended, counter } = killedAt(folder, 0);
  await done(ended);
  const milliseconds = performance.now() - started;
  straight = {
    milliseconds,
    content: await contentOf(join(folder, "run")),
    writes: (await readFile(counter)).length,
  };
});

function killedAt(folder: string, write: number): { readonly ended: Promise<Ended>; readonly counter: string } {
  const [run, counter] = [join(folder, "run"), join(folder, "counter")];
  const environment = {
    LACONIC_KILL_FOLDER: run,
    LACONIC_KILL_AT: String(write),
    LACONIC_KILL_COUNTER: counter,
  };
  return { ended: laconic(words(run), { preload, environment }), counter };
}

async function expectSame(run: string, ended: Ended): Promise<void> {
  expect([ended.code, complaintAbout(ended)]).toEqual([0, null]);
  expect(await contentOf(run)).toEqual(straight.content);
}

/** Spreads over [0, 1): multiples of the golden ratio. */
const share = (i: number): number => (i * 0.6180339887498949) % 1;

const slices = isLong ? 12 : 2;

describe.concurrent("a run killed with -9 resumes to the bytes of an undisturbed run", () => {
  test.for(Array.from({ length: slices }, (_, i) => i + 1))(
    `kills the process at writes of part %i of ${slices} of the run`,
    { timeout: isLong ? 1_800_000 : 120_000 },
    async (slice) => {
      const [first, last] = [slice - 1, slice].map((end) => Math.round((straight.writes * end) / slices));
      const all = Array.from({ length: (last as number) - (first as number) }, (_, i) => (first as number) + 1 + i);
      const points = isLong ? all : [all[Math.floor(share(slice) * all.length)] as number];
      for (const point of points) {
        const folder = await temporary();
        const killed = await killedAt(folder, point).ended;
        expect([point, killed.signal, complaintAbout(killed)]).toEqual([point, "SIGKILL", null]);
        await expectSame(join(folder, "run"), await goOn(join(folder, "run"), words(join(folder, "run"))));
      }
    },
  );

  test.for(Array.from({ length: isLong ? 24 : 1 }, (_, i) => i))(
    "kills the process at a random moment and again in the resume: %i",
    async (i) => {
      const run = join(await temporary(), "run");
      for (const [again, typed] of [words(run), ["train", "--resume", "--run", run]].entries()) {
        const started = startLaconic(typed);
        await Promise.race([sleep(straight.milliseconds * (0.4 + 0.6 * share(2 * i + again))), started.ended]);
        started.kill("SIGKILL");
        expect(complaintAbout(await started.ended)).toBeNull();
      }
      await expectSame(run, await goOn(run, words(run)));
    },
  );
});
