import { LaconicError, type Random } from "../../../packages/core/src/index.ts";
import { nodeProcesses } from "../../../packages/trainer/src/reading/index.ts";
import { folderData } from "../../../packages/view/src/data/folder-data.ts";
import type { ViewData } from "../../../packages/view/src/requests.ts";
import { diskRoot } from "../disk.ts";
import { expectThat, hasMisread, hasRotted, looked, untilDone, type Scenario } from "../scenario.ts";
import { begin, episodesPerGroup, groupsPerStep, jobOf, plainVariant, steps, trainOnce } from "../training.ts";
import type { World } from "../world.ts";

// Readers compare a lock's host with the name read when the module was loaded.
Object.assign(nodeProcesses, { host: "simulated" });

const maxPauseMs = 40;

interface Shown {
  readonly state: string;
  readonly step: number;
  readonly steps: readonly number[];
  readonly evaluated: number;
  readonly episodes: number;
  readonly warnings: readonly string[];
}

/** Requests all content of a run's pages. @returns null without a run */
async function look(data: ViewData): Promise<Shown | null> {
  const [summary] = await data.runs();
  if (!summary) return null;
  const { id } = summary;
  const [detail, columns] = [await data.run(id), await data.columns(id, null)];
  if (!detail || !columns) return null; // deleted in between
  const page = await data.episodes(id, { from: 0, count: 50 } as never);
  await data.speech(id);
  await data.telling(id);
  for (const { key } of page?.rows.slice(0, 2) ?? []) await data.episode(id, key);
  await data.benches();
  return {
    state: detail.summary.state,
    step: detail.summary.step,
    steps: columns.steps,
    evaluated: detail.evaluations.length,
    episodes: page?.total ?? 0,
    warnings: detail.warnings,
  };
}

class Reader {
  readonly #world: World;
  readonly #random: Random;
  #step = 0;
  /** Number of resumes at the last read; each may go back some steps. */
  #resumes = 0;
  /** Resumes of the run so far; null during one. */
  resumes: number | null = 0;
  isOver = false;

  constructor(world: World, random: Random) {
    [this.#world, this.#random] = [world, random];
  }

  async follow(): Promise<void> {
    while (!this.isOver) {
      const ended = await this.#world.start(() => this.#read());
      if (ended.how === "failed") {
        const isOurs = LaconicError.is(ended.error);
        if (isOurs && hasMisread(this.#world)) continue; // the folder could not be read
        const text = ended.error instanceof Error ? (ended.error.stack ?? "") : String(ended.error);
        this.#world.violate(
          `the reader ends by ${isOurs ? "an error" : "an error that is not ours"}: ${text.slice(0, 500)}`,
        );
        return;
      }
    }
  }

  async #read(): Promise<void> {
    const data = await this.open();
    const stop = data.listen(() => undefined);
    while (!this.isOver) {
      const before = this.resumes;
      const shown = await look(data);
      if (shown) this.#check(shown, before === this.resumes ? before : null);
      await new Promise((go) => void setTimeout(go, 1 + this.#random.uniform() * maxPauseMs));
    }
    stop();
    await this.expectWhole(data);
    await data.close();
  }

  open(): Promise<ViewData> {
    return folderData({
      folders: [`${diskRoot}/runs`],
      isAlive: (pid) => this.#world.isAlive(pid),
      onError: (error) => {
        this.#world.violate(`reading fails where nobody waits: ${String(error)}`);
      },
    });
  }

  /** @param resumes - null if a resume happened meanwhile */
  #check({ step, steps: rows }: Shown, resumes: number | null): void {
    const isSorted = rows.every((row, i) => i === 0 || row > (rows[i - 1] as number));
    if (!isSorted) this.#world.violate(`the steps ${rows.join()} are shown`);
    if (resumes === null) return;
    if (step < this.#step && this.#resumes === resumes)
      this.#world.violate(`step ${this.#step} was shown, then ${step}, and nobody resumed the run`);
    [this.#step, this.#resumes] = [step, resumes];
  }

  /** Checks that a completed run is shown completely, and that this reader shows the same as a new one. */
  async expectWhole(data: ViewData): Promise<void> {
    this.#world.calm();
    const shown = await look(data);
    const fresh = await this.open();
    const expected = await look(fresh);
    await fresh.close();
    expectThat(
      JSON.stringify(shown) === JSON.stringify(expected),
      `a reader that has read along shows ${JSON.stringify(shown)}, a new one ${JSON.stringify(expected)}`,
    );
    if (hasRotted(this.#world)) return;
    const evaluations = steps / 2 + 1;
    expectThat(
      expected?.state === "done" && expected.step === steps && expected.evaluated === evaluations,
      `a run that is done shows ${JSON.stringify(expected)}`,
    );
    const episodes = steps * groupsPerStep * episodesPerGroup;
    expectThat((expected?.episodes ?? 0) >= episodes, `${expected?.episodes} of ${episodes} episodes are shown`);
  }
}

export const view: Scenario = {
  title: "a reader that shows a run while it is trained, killed and resumed",
  share: 2,
  faults: {
    kinds: ["kill", "kill", "kill", "power", "power", "error", "error", "full", "slow"],
    events: 1200,
  },
  async play(world: World, random: Random) {
    const variant = plainVariant(2);
    begin(world.disk);
    const reader = new Reader(world, random.split("reader"));
    const train = async (): Promise<void> => {
      let resumes = 0;
      const start = (): ReturnType<typeof trainOnce> => {
        reader.resumes = null;
        const restored = (): void => void (reader.resumes = resumes += 1);
        return trainOnce(world, jobOf(world, variant), { step: 0 }, { restored });
      };
      try {
        await untilDone(world, start);
      } finally {
        reader.isOver = true;
      }
    };
    await Promise.all([train(), reader.follow()]);
    await looked(world, async () => {
      const data = await reader.open();
      await reader.expectWhole(data);
      await data.close();
    });
  },
};
