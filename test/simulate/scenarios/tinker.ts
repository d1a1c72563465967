import type { Random } from "../../../packages/core/src/index.ts";
import { fileJournal } from "../../../packages/tinker/src/client/journal.ts";
import { TinkerClient } from "../../../packages/tinker/src/client/tinker-client.ts";
import { tinkerEngine } from "../../../packages/tinker/src/engine/tinker-engine.ts";
import { parseTrainConfig } from "../../../packages/trainer/src/settings/parse-train-config.ts";
import { tabularPolicy } from "../../../packages/trainer/src/testing/tabular-policy.ts";
import { tinyTokenizer } from "../../../packages/trainer/src/testing/index.ts";
import { type Disk, diskRoot } from "../disk.ts";
import { network } from "../network.ts";
import { checkpointFolder, recordOf, TinkerSite } from "../tinker-site.ts";
import { expectThat, filesOf, runFolder, untilDone, type Files, type Scenario } from "../scenario.ts";
import { secret } from "../secret.ts";
import { expectEqual, filesBelow, undisturbed } from "../compare-runs.ts";
import { begin, partsOf, plainVariant, steps, trainOnce, type TrainingJob, type Variant } from "../training.ts";
import type { World } from "../world.ts";

/** Server of a world, and whether it deduplicates request numbers. */
const sites = new WeakMap<World, { readonly site: TinkerSite; readonly deduplicates: boolean }>();

const keyHosts: readonly string[] = ["tinker.example"];

/** Run files with request numbers and checkpoint paths of the server, which depend on faults. */
const journalFile = "tinker.jsonl";

function jobOn(variant: Variant, deduplicates: boolean): TrainingJob {
  return {
    folder: runFolder,
    settings: parseTrainConfig(variant.settings),
    async open() {
      const journal = fileJournal(`${runFolder}/${journalFile}`);
      const client = await TinkerClient.connect({
        baseUrl: "https://tinker.example",
        apiKey: secret,
        deduplicates,
        journal,
      });
      const { vocabularySize } = tinyTokenizer;
      const engine = tinkerEngine({ client, record: recordOf(deduplicates), vocabularySize });
      const close = (): Promise<void> => engine.close();
      try {
        const base = { kind: "folder", path: "tiny" } as const;
        const model = await engine.createModel({ kind: "adapter", base, lora: { rank: 4, alpha: 32 }, seed: 1 });
        const { task } = partsOf(variant);
        const speak = (sampler: Parameters<typeof tabularPolicy>[0]) => tabularPolicy(sampler, tinyTokenizer);
        return { parts: { task, policies: { policy: { model, speak, agents: task.topology.agents } } }, close };
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

/** Checks that no number has two bodies, and that none is sent twice to a server without deduplication. */
function expectNumbersOnce({
  site,
  deduplicates,
}: {
  readonly site: TinkerSite;
  readonly deduplicates: boolean;
}): void {
  const seen = new Map<string, string>();
  for (const { path, body } of site.log) {
    const { model_id, seq_id } = (body ?? {}) as { readonly model_id?: string; readonly seq_id?: number };
    if (seq_id === undefined || model_id === undefined) continue; // samples have no model
    const [key, text] = [`${model_id} ${seq_id}`, `${path} ${JSON.stringify(body)}`];
    const before = seen.get(key);
    expectThat(before === undefined || before === text, `number ${key} has two bodies, the second is of ${path}`);
    expectThat(before === undefined || deduplicates, `number ${key} is sent twice to a server that runs it twice`);
    seen.set(key, text);
  }
}

function lastTable(files: ReadonlyMap<string, Uint8Array>): Uint8Array | undefined {
  const checkpoints = filesBelow(files, `${runFolder}/checkpoints`);
  const latest = Buffer.from(checkpoints.get("LATEST") ?? [])
    .toString()
    .trim();
  const saved = [...checkpoints].find(([name]) => name.startsWith(`${latest}/`) && name.endsWith("tinker.json"));
  const { path = "" } = saved ? (JSON.parse(Buffer.from(saved[1]).toString()) as { readonly path?: string }) : {};
  return filesBelow(files, checkpointFolder).get(`${path.split("/").at(-1)}/table.json`);
}

const serve =
  (deduplicates: (random: Random) => boolean): NonNullable<Scenario["server"]> =>
  (world) => {
    const random = world.random.split("server");
    const own = deduplicates(random);
    const site = new TinkerSite(world, random, own);
    sites.set(world, { site, deduplicates: own });
    return network(world, () => site);
  };

const undisturbedFiles = (variant: Variant): Promise<Files | null> =>
  undisturbed(
    "tinker",
    variant,
    (world) => untilDone(world, () => trainOnce(world, jobOn(variant, true), { step: 0 })),
    { server: serve(() => true), keyHosts },
  );

/** Checks that a disk's run files and the server's weights equal those of an undisturbed run. */
function expectSame(disk: Disk, expected: Files): void {
  const match = filesOf(disk, diskRoot);
  expectEqual(filesBelow(match, runFolder), filesBelow(expected, runFolder), ["checkpoints", journalFile]);
  const [own, other] = [lastTable(match), lastTable(expected)];
  expectThat(own !== undefined && other !== undefined, "the last checkpoint names no weights that the server has");
  expectThat(
    Buffer.compare(own ?? new Uint8Array(), other ?? new Uint8Array()) === 0,
    "the weights on the server are not those of an undisturbed run: a step is lost, or taken twice",
  );
}

export const tinker: Scenario<{ readonly variant: Variant; readonly expected: Files }> = {
  title: "a run that trains on a server of the Tinker protocol, which fails, forgets, or is told twice",
  share: 2,
  faults: {
    kinds: ["kill", "kill", "power", "error", "full", "slow", "server", "server", "server", "server", "server"],
    events: 700,
    replies: 160,
    servers: [
      "slow",
      "status",
      "status",
      "cut",
      "dead",
      "garbage",
      "lost",
      "lost",
      "duplicate",
      "duplicate",
      "restart",
    ],
  },
  server: serve((random) => random.uniform() < 0.5),
  keyHosts,
  async plan(random) {
    const variant = plainVariant(1 + random.integer(2));
    return { variant, expected: (await undisturbedFiles(variant)) as Files };
  },
  async play(world, _random, { variant, expected }) {
    const site = sites.get(world) as NonNullable<ReturnType<typeof sites.get>>;
    begin(world.disk);
    const acknowledged = { step: 0 };
    const start = (): ReturnType<typeof trainOnce> => trainOnce(world, jobOn(variant, site.deduplicates), acknowledged);
    const result = await untilDone(world, start, { between: () => expectNumbersOnce(site) });
    expectThat(result?.steps === steps && !result.interrupted, `the run ended after ${result?.steps} steps`);
    expectSame(world.disk, expected);
  },
};
