import { runFolder as folderOf, runVariants } from "../../../packages/runtime/src/variants/run-variants.ts";
import type { Variant, VariantResult } from "../../../packages/runtime/src/variants/run-variants.ts";
import { writtenConfig } from "../../../packages/runtime/src/run/app-config.ts";
import type { StartedRun } from "../../../packages/runtime/src/start/start-run.ts";
import { relayQuickstart } from "../../../packages/tasks/src/presets/index.ts";
import { diskRoot, type Disk } from "../disk.ts";
import { expectThat, filesOf, hasMisread, textOf, untilDone, type Files, type Scenario } from "../scenario.ts";
import { expectEqual, filesBelow, undisturbed } from "../compare-runs.ts";
import { begin, partsOf, plainVariant, trainIn, type Acknowledged } from "../training.ts";
import type { World } from "../world.ts";
import type { Ended } from "../program.ts";

const folder = `${diskRoot}/sweeps/rates`;
const file = "results.json";
const tiny = plainVariant(1, false, { steps: 2, evaluation: { every: 0, problems: 3, transcripts: 1 } });
const seeds = [1, 2];
const variants: readonly Variant[] = [
  { name: "base", about: "as it is", overrides: [] },
  { name: "slow", about: "a tenth of the rate", overrides: ["train.optimizer.learningRate.peak=0.03"] },
];
/** Fields of a checked configuration besides the training, which is the tiny task. */
const base = {
  ...relayQuickstart,
  warmStart: null,
  device: "auto",
  train: tiny.settings,
};
const quiet = { note: () => undefined, warn: () => undefined, status: () => undefined } as never;

const keyOf = ({ variant, seed }: Pick<VariantResult, "variant" | "seed">): string => `${variant}-${seed}`;

interface Known {
  readonly results: Map<string, VariantResult>;
  readonly steps: Map<string, Acknowledged>;
}

/** One process that starts or continues a sweep, like `laconic sweep` and `ablate`. */
function sweepOnce(world: World, registry: Known): Promise<Ended<readonly VariantResult[] | StartedRun>> {
  return world.start((program) =>
    runVariants(
      {
        base,
        variants,
        folder,
        seeds,
        overrides: [],
        file,
        onRun: ({ variant: { name }, seed }) => {
          const key = keyOf({ variant: name, seed });
          if (registry.results.has(key) && !hasMisread(world))
            world.violate(`${key} is trained again, and its result was acknowledged`);
        },
        onResult: async (results) => {
          world.expectSafe("a result", `${folder}/${file}`);
          for (const result of results) registry.results.set(keyOf(result), result);
        },
        start: async (config, { directory }) => {
          const acknowledged = registry.steps.get(directory) ?? { step: 0 };
          registry.steps.set(directory, acknowledged);
          const open = async (): Promise<{ parts: ReturnType<typeof partsOf> }> => ({ parts: partsOf(tiny) });
          const job = { folder: directory, settings: config.train, config: { ...writtenConfig(config) }, open };
          const result = await trainIn(world, program, job, acknowledged);
          const rest = { warmStart: null, signal: null, seconds: 1, trainingSeconds: 1, earlierSeconds: 0 };
          return { ...result, ...rest, split: "test", device: "simulated" };
        },
      },
      quiet,
    ),
  );
}

function expectKept(disk: Disk, { results }: Known): void {
  const text = textOf(disk, `${folder}/${file}`);
  const retained = text === null ? [] : (JSON.parse(text) as VariantResult[]);
  const keys = retained.map((result) => keyOf(result));
  expectThat(new Set(keys).size === keys.length, `a run has two results: ${keys.join()}`);
  for (const [key, result] of results)
    expectThat(
      retained.some((variantResult) => JSON.stringify(variantResult) === JSON.stringify(result)),
      `the result of ${key} was acknowledged, and is ${keys.includes(key) ? "another" : "lost"}`,
    );
}

const none = (): Known => ({ results: new Map(), steps: new Map() });

const undisturbedSweep = (): Promise<Files | null> =>
  undisturbed("sweep", null, (world) => untilDone(world, () => sweepOnce(world, none())));

export const sweep: Scenario<Files> = {
  title: "a sweep of two variants and two seeds, continued until all four runs have results",
  share: 2,
  faults: { kinds: ["kill", "kill", "kill", "power", "power", "error", "full", "slow", "jump"], events: 900 },
  plan: async () => (await undisturbedSweep()) as Files,
  async play(world, _random, expected) {
    begin(world.disk);
    const registry = none();
    const results = await untilDone(world, () => sweepOnce(world, registry), {
      between: () => expectKept(world.disk, registry),
    });
    expectThat(Array.isArray(results) && results.length === variants.length * seeds.length, "runs have no result");
    const match = filesOf(world.disk, diskRoot);
    const same = `${folder.slice(diskRoot.length + 1)}/${file}`;
    expectThat(
      Buffer.compare(match.get(same) ?? new Uint8Array(), expected.get(same) ?? new Uint8Array()) === 0,
      `${file} is not that of an undisturbed sweep`,
    );
    for (const { name } of variants)
      for (const seed of seeds) {
        const run = folderOf(folder, name, seed);
        const files = filesBelow(match, run);
        // A power loss may restore the lock or claim of a dead process; the next process takes it over.
        const locks = [...files.keys()].filter((key) => /^LOCK(?:\.|$)/u.test(key));
        expectEqual(files, filesBelow(expected, run), locks);
      }
  },
};
