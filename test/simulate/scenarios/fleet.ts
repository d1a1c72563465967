import type { Random } from "../../../packages/core/src/index.ts";
import { expectGroupsOnce, expectRowsOfRecords } from "../records.ts";
import { addresses, jobOn, seeTo, startServers } from "../fleet-run.ts";
import { network } from "../network.ts";
import { expectThat, looked, untilDone, type Scenario } from "../scenario.ts";
import { secret } from "../secret.ts";
import { begin, plainVariant, steps, trainOnce } from "../training.ts";
import type { World } from "../world.ts";

export const fleet: Scenario = {
  title: "a run that samples on two or three inference servers, some of which fail, lie or restart",
  share: 2,
  faults: {
    kinds: ["kill", "power", "error", "full", "slow", "server", "server", "server", "server", "server"],
    events: 900,
    replies: 200,
    servers: ["slow", "status", "cut", "dead", "lie", "lie", "lie", "garbage", "lost", "duplicate", "restart"],
  },
  server(world) {
    const { servers } = startServers(world);
    return network(world, (origin) => servers.get(origin));
  },
  keyHosts: addresses.map((url) => new URL(url).host),
  async play(world: World, random: Random) {
    process.env["SAMPLER_API_KEY"] = secret; // path that runs use
    const variant = plainVariant(1 + random.integer(2), random.uniform() < 0.3, { episodesPerProblem: 4 });
    const urls = addresses.slice(0, 2 + random.integer(2));
    begin(world.disk);
    const acknowledged = { step: 0 };
    const result = await untilDone(world, () => trainOnce(world, jobOn(world, { urls }, variant), acknowledged), {
      between: (ended) => seeTo(world, ended),
    });
    expectThat(result?.steps === steps && !result.interrupted, `the run ended after ${result?.steps} steps`);
    await looked(world, async () => {
      await expectRowsOfRecords(variant, steps);
      await expectGroupsOnce(variant);
    });
  },
};
