import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Random } from "../../../packages/core/src/index.ts";
import { WeightsReceiver } from "../../../packages/openai/src/fleet/index.ts";
import type { TrainResult } from "../../../packages/trainer/src/train.ts";
import { expectGroupsOnce, expectRowsOfRecords } from "../records.ts";
import { connections, type Listener } from "../connections.ts";
import { addresses, jobOn, openServers, seeTo, startServers } from "../fleet-run.ts";
import { network } from "../network.ts";
import type { Ended, Program } from "../program.ts";
import { expectNamed, maxAwayMs, receivedRoot } from "../sampling-servers.ts";
import { expectThat, filesOf, looked, restarted, untilDone, type Scenario } from "../scenario.ts";
import { secret } from "../secret.ts";
import { begin, partsOf, plainVariant, steps, trainOnce, type Variant } from "../training.ts";
import type { World } from "../world.ts";

const receiverUrls = addresses.map((_, i) => `http://r${i + 1}.example:8790`);

/** Receivers of a world by number: programs that receive weights into their folders. */
class Receivers {
  readonly #listeners = new Map<number, Listener>();
  readonly #ends = new Set<() => void>();
  isOver = false;

  at(receiver: number): Listener | null {
    return this.#listeners.get(receiver) ?? null;
  }

  stillFor(now: number): number {
    return Math.max(0, ...[...this.#listeners.values()].map(({ program }) => program.pausedUntil - now));
  }

  end(): void {
    this.isOver = true;
    for (const end of this.#ends) end();
  }

  /** Receives weights until asked to end; completes the current transfer. */
  async serve(receiver: number, program: Program): Promise<void> {
    if (this.isOver) return;
    const { handler } = new WeightsReceiver({ folder: `${receivedRoot}/${receiver}`, apiKey: secret });
    const running = new Set<Promise<Response>>();
    this.#listeners.set(receiver, {
      program,
      handler: (request) => {
        const answer = handler(request).then((response) => {
          if (response.status >= 400) program.failures.length = 0; // the sender gets an error
          return response;
        });
        running.add(answer);
        return answer.finally(() => running.delete(answer));
      },
    });
    let end!: () => void;
    const ended = new Promise<void>((go) => (end = go));
    this.#ends.add(end);
    program.stop.signal.addEventListener("abort", end, { once: true });
    await ended;
    this.#ends.delete(end);
    this.#listeners.delete(receiver);
    await Promise.all(running);
  }
}

const sites = new WeakMap<World, Receivers>();

/** Opens and closes the fleet again, as a resume does. */
async function tidied(world: World, variant: Variant, servers: Readonly<Record<string, unknown>>): Promise<void> {
  await sleep(2 * maxAwayMs + (sites.get(world)?.stillFor(world.now) ?? 0)); // all receivers are back
  const { fleet } = await openServers(world, servers, partsOf(variant).task.topology);
  await fleet.close();
}

export const receive: Scenario = {
  title: "a run whose weights reach its inference servers over HTTP, through receivers that fail as well as it does",
  share: 2,
  faults: {
    kinds: ["kill", "kill", "kill", "power", "error", "full", "slow", "pause", "signal", "server", "server", "server"],
    events: 1500,
    replies: 120,
    servers: ["slow", "status", "cut", "dead", "garbage", "lost", "duplicate", "duplicate", "restart"],
  },
  server(world) {
    const { servers } = startServers(world);
    const receivers = new Receivers();
    sites.set(world, receivers);
    const toServers = network(world, (origin) => servers.get(origin));
    const toReceivers = receiverUrls.map((url, i) => [url, connections(world, () => receivers.at(i))] as const);
    const ways = new Map(toReceivers);
    return (url, init) => (ways.get(new URL(url).origin) ?? toServers)(url, init);
  },
  keyHosts: [...addresses, ...receiverUrls].map((url) => new URL(url).host),
  async play(world: World, random: Random) {
    process.env["SAMPLER_API_KEY"] = secret; // path that runs use
    const receivers = sites.get(world) as Receivers;
    const variant = plainVariant(2, random.uniform() < 0.3, { episodesPerProblem: 4 });
    const urls = addresses.slice(0, 2 + random.integer(2));
    const isShared = random.uniform() < 0.3;
    const servers = { urls, receivers: urls.map((_, i) => receiverUrls[isShared ? 0 : i]) };
    begin(world.disk);
    const isOver = (): boolean => receivers.isOver;
    const serving = (_: string, receiver: number): Promise<void> =>
      restarted(world, isOver, (program) => receivers.serve(receiver, program));
    const train = async (): Promise<void> => {
      try {
        const acknowledged = { step: 0 };
        const start = async (attempt: number): Promise<Ended<TrainResult>> => {
          const still = receivers.stillFor(world.now);
          if (attempt > 0 && still > 0) await world.start(() => sleep(still)); // restarted only later
          return trainOnce(world, jobOn(world, servers, variant), acknowledged);
        };
        const between = (ended: Ended<unknown>): void => {
          seeTo(world, ended);
          const shown = new Set([...filesOf(world.disk, receivedRoot).keys()].map((path) => dirname(path)));
          for (const version of shown) if (!version.endsWith(".part")) expectNamed(world, `${receivedRoot}/${version}`);
        };
        const result = await untilDone<TrainResult>(world, start, { between });
        expectThat(result?.steps === steps && !result.interrupted, `the run ended after ${result?.steps} steps`);
        await looked(world, async () => {
          await expectRowsOfRecords(variant, steps);
          await expectGroupsOnce(variant);
        });
        await looked(world, () => tidied(world, variant, servers));
      } finally {
        receivers.end();
      }
    };
    await Promise.all([train(), ...urls.map(serving)]);
    const left = [...filesOf(world.disk, receivedRoot).keys()];
    expectThat(left.length === 0, `receivers keep ${left.join(", ")}`);
  },
};
