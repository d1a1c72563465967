import { LaconicError, raggedRow } from "../../packages/core/src/index.ts";
import type { SampleResult, Topology, TrainableModel } from "../../packages/core/src/index.ts";
import { openFleet, type OpenedFleet } from "../../packages/runtime/src/run/open-fleet.ts";
import type { SamplerSettings } from "../../packages/runtime/src/run/server-settings.ts";
import { parseTrainConfig } from "../../packages/trainer/src/settings/parse-train-config.ts";
import { tabularPolicy } from "../../packages/trainer/src/testing/tabular-policy.ts";
import { tinyTokenizer } from "../../packages/trainer/src/testing/index.ts";
import { SamplingServer, servedTable, type ServerKind } from "./sampling-servers.ts";
import { expectThat, runFolder } from "./scenario.ts";
import { partsOf, type TrainingJob, type Variant } from "./training.ts";
import type { World } from "./world.ts";
import type { Ended } from "./program.ts";

export const addresses: readonly string[] = [
  "http://s1.example:8000",
  "http://s2.example:8000",
  "http://s3.example:8000",
];
/** Max log-prob gap of a reply, summed over its tokens, that a fleet accepts from exact servers. */
const maxGap = (tokens: number): number => 1e-3 * (tokens + 20);
/** Discarded replies after which a server must be in quarantine. */
const maxThrown = 10;

interface Site {
  readonly kind: ServerKind;
  readonly servers: ReadonlyMap<string, SamplingServer>;
}

const sites = new WeakMap<World, Site>();

export function startServers(world: World): Site {
  const random = world.random.split("servers");
  const kind = random.uniform() < 0.5 ? "vllm" : "sglang";
  const made = addresses.map((url) => [url, new SamplingServer(world, kind, random.split(url))] as const);
  const site: Site = { kind, servers: new Map(made) };
  sites.set(world, site);
  return site;
}

/** Compares a fleet's samples with the trainer's weights, by the table's arithmetic. */
class Checked {
  readonly #world: World;
  readonly #given = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  /** @param local - trained weights, which may use only sampled data */
  watch(sampled: TrainableModel, local: TrainableModel): void {
    const [sample, snapshot] = [sampled.sample.bind(sampled), sampled.snapshot.bind(sampled)];
    const backward = local.forwardBackward.bind(local);
    Object.assign(sampled, {
      sample: async (...input: Parameters<typeof sample>) =>
        this.#check(await local.snapshot(), await sample(...input)),
      snapshot: async () => {
        const [policySnapshot, held] = await Promise.all([local.snapshot(), snapshot()]);
        return {
          ...held,
          sample: async (...input: Parameters<typeof sample>) =>
            this.#check(policySnapshot, await held.sample(...input)),
        };
      },
    });
    local.forwardBackward = (sequences, gradient) => {
      for (const { promptTokens, completionTokens } of sequences)
        if (!this.#given.has(keyOf({ promptTokens, tokens: completionTokens })))
          this.#world.violate(`tokens ${completionTokens.join()} are trained, which no server gave`);
      return backward(sequences, gradient);
    };
  }

  async #check(
    own: Pick<TrainableModel, "forward">,
    results: readonly SampleResult[],
  ): Promise<readonly SampleResult[]> {
    const { logProbs } = await own.forward(
      results.map(({ promptTokens, tokens }) => ({ promptTokens, completionTokens: tokens })),
    );
    for (const [i, reply] of results.entries()) {
      const expected = raggedRow(logProbs, i);
      const gap = reply.logProbs.reduce((sum, value, t) => sum + Math.abs(value - (expected[t] as number)), 0);
      if (!(gap <= maxGap(reply.tokens.length)))
        this.#world.violate(`a reply is taken whose log-probs are ${gap} from those of its weights`);
      this.#given.add(keyOf(reply));
    }
    return results;
  }
}

const keyOf = ({ promptTokens, tokens }: Pick<SampleResult, "promptTokens" | "tokens">): string =>
  `${promptTokens.join()};${tokens.join()}`;

/** Opens the servers like a run does. @param servers - as in `sampler` of a configuration */
export async function openServers(
  world: World,
  servers: Readonly<Record<string, unknown>>,
  { agents }: Pick<Topology, "agents">,
): Promise<{ readonly fleet: OpenedFleet; readonly local: TrainableModel }> {
  const local = servedTable();
  const policy = {
    model: local,
    speak: (sampler: Parameters<typeof tabularPolicy>[0]) => tabularPolicy(sampler, tinyTokenizer),
    agents,
  };
  const sampler = { [sites.get(world)?.kind as ServerKind]: { ...servers, allowPlainHttp: true } } as SamplerSettings;
  const resources = {
    directory: runFolder,
    vocabularySize: tinyTokenizer.vocabularySize,
    temperature: 1,
    note: () => world.told(),
  };
  return { fleet: await openFleet(sampler, { policy }, resources), local };
}

export function jobOn(world: World, servers: Readonly<Record<string, unknown>>, variant: Variant): TrainingJob {
  return {
    folder: runFolder,
    settings: parseTrainConfig(variant.settings),
    async open() {
      const { task } = partsOf(variant);
      const { fleet, local } = await openServers(world, servers, task.topology);
      const checked = new Checked(world);
      for (const { model } of Object.values(fleet.policies)) checked.watch(model, local);
      return {
        parts: { task, policies: fleet.policies },
        close: async () => {
          expectQuarantine(world, fleet);
          await fleet.close();
          world.told(/-weights\//u); // old versions that servers may have deleted
        },
      };
    },
  };
}

function expectQuarantine(world: World, fleet: OpenedFleet): void {
  for (const { url, thrown, quarantines } of fleet.servers())
    if (thrown >= maxThrown && quarantines === 0)
      world.violate(`${url} had ${thrown} replies thrown away, and was never in quarantine`);
}

/** A failure caused by a server must name it. Then servers are repaired and restarted. */
export function seeTo(world: World, ended: Ended<unknown>): void {
  if (ended.how !== "failed") return;
  const { error } = ended;
  const isOfServer = LaconicError.is(error) && /^(?:api_|reply_)/u.test(error.code);
  if (isOfServer)
    expectThat(/http:\/\/[rs]\d\.example/u.test(error.message), `an error names no server: ${error.message}`);
  for (const server of sites.get(world)?.servers.values() ?? []) {
    server.repair();
    if (isOfServer) server.start();
  }
}
