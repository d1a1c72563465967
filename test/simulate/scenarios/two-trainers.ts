import { LaconicError, type Random } from "../../../packages/core/src/index.ts";
import type { TrainResult } from "../../../packages/trainer/src/train.ts";
import { expectThat, filesOf, latestLoads, runFolder, untilDone, type Files, type Scenario } from "../scenario.ts";
import type { World } from "../world.ts";
import type { Ended, Program } from "../program.ts";
import { expectEqual, undisturbedRun } from "../compare-runs.ts";
import { begin, drawVariant, jobOf, trainOnce, type Acknowledged, type Variant } from "../training.ts";

/** First and max waiting time of a refused program in milliseconds; each wait is about twice the last. */
const patience = { first: 20, most: 3_600_000 } as const;

/** Programs that compete for one folder, and its holder. */
class Contest {
  readonly #world: World;
  #holder: Program | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  /** @param random - waiting times after a refusal */
  async enter(variant: Variant, acknowledged: Acknowledged, random: Random): Promise<Ended<TrainResult>> {
    for (let wait: number = patience.first; ; wait = Math.min(2 * wait, patience.most)) {
      const ended = await trainOnce(this.#world, jobOf(this.#world, variant), acknowledged, {
        holds: (program) => this.#train(program),
      });
      if (ended.how !== "failed" || !LaconicError.is(ended.error)) return ended;
      if (ended.error.code !== "run_locked") return ended;
      this.#checkRefusal(ended.error);
      // A waiting program, so that kills may hit it too.
      const ms = wait * (0.5 + random.uniform());
      await this.#world.start(() => new Promise<void>((go) => void setTimeout(go, ms)));
    }
  }

  #train(program: Program | null): void {
    const holder = this.#holder;
    if (program && holder?.isAlive) this.#world.violate(`program ${program.pid} trains, and ${holder.pid} still does`);
    this.#holder = program;
  }

  /** Checks that the error names the folder's holder, or a program about to hold it. */
  #checkRefusal({ message, detail }: LaconicError): void {
    const pid = Number(detail["pid"]);
    expectThat(this.#world.hasStarted(pid), `the refusal names process ${pid}, which there never was`);
    expectThat(message.includes(`process ${pid} on simulated`), `the refusal does not name its process: ${message}`);
  }
}

/** Two concurrent programs for one folder, each restarted until it finds the run done. */
export const twoTrainers: Scenario<{ readonly variant: Variant; readonly expected: Files }> = {
  title: "two processes that train or resume one run folder: one does, and the other is refused by name",
  share: 6,
  faults: {
    kinds: ["kill", "kill", "kill", "power", "pause", "pause", "pause", "error", "slow", "jump"],
    events: 700,
  },
  async plan(random: Random) {
    for (;;) {
      const variant = drawVariant(random, false);
      const expected = await undisturbedRun({ variant, moreSteps: 0 });
      if (expected) return { variant, expected };
    }
  },
  async play(world, random, { variant, expected }) {
    begin(world.disk);
    const [contest, acknowledged] = [new Contest(world), { step: 0 }];
    const checks: Promise<void>[] = [];
    const results = await Promise.all(
      ["first", "second"].map((name) =>
        untilDone(world, () => contest.enter(variant, acknowledged, random.split(name)), {
          between: () => void checks.push(latestLoads(world.disk, runFolder)),
        }),
      ),
    );
    await Promise.all(checks);
    for (const result of results) expectThat(result?.interrupted === false, `a run ended after ${result?.steps} steps`);
    expectEqual(filesOf(world.disk, runFolder), expected);
  },
};
