import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/slow-first.ts";

/** `npm run test:chaos` and nothing else: kills, damage, full disks and hostile peers take minutes. */
const chaos = process.env["LACONIC_CHAOS"];
/** `npm test` runs the quick tests, `npm run test:long` the long ones, `npm run test:nightly` what no change waits for; vitest by itself runs all. */
const tier = process.env["LACONIC_TIER"];
/** Long: takes ten seconds or more alone, or needs a browser, Python, a device or a build. */
const tiers = ["long", "nightly"];
/** Tests that leave nothing behind in their process: one process runs many of these files, and starts once. */
const together =
  "packages/{baselines,benchmarks,budget,core,engine,evaluation,grading,gspo,hub,openai,rewards,tasks,topologies,trainer}/src/**/*.test.ts";

/** Where commands run in the test's own process, engines compute on its thread, and files stay in memory. */
const commands = ["./test/for-commands.ts"];

const project = (
  name: string,
  include: readonly string[],
  {
    exclude = [],
    setupFiles = [],
    isolate = true,
  }: { readonly exclude?: readonly string[]; readonly setupFiles?: string[]; readonly isolate?: boolean } = {},
) => ({
  extends: true as const,
  test: {
    name,
    setupFiles,
    include: include.map((path) => (tiers.includes(tier ?? "") ? path.replace(".test.ts", `.${tier}.test.ts`) : path)),
    exclude: [
      "**/node_modules/**",
      ...exclude,
      ...(tier === "quick" ? tiers.map((other) => `**/*.${other}.test.ts`) : []),
    ],
    isolate,
  },
});

/** Limit of a test in milliseconds: it finds hanging tests, and a busy machine must not reach it. */
const timeoutMs = 600_000;

export default defineConfig({
  test: {
    setupFiles: ["./test/setup.ts"],
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    // Vitest would leave one core to itself, which is half of two.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: SlowFirst },
    ...(chaos !== undefined
      ? {
          setupFiles: ["./test/setup.ts", ...commands],
          include: [
            "test/chaos/**/*.test.ts",
            ...(chaos === "long"
              ? ["packages/sandbox/test/humaneval", "apps/trainer/src/serving/large-files"].map(
                  (name) => `${name}.nightly.test.ts`,
                )
              : []),
          ],
          maxConcurrency: 2,
        }
      : {
          projects: [
            project("repository", ["test/*.test.ts"], { setupFiles: commands }),
            project("commands", ["apps/*/{src,test}/**/*.test.ts"], { setupFiles: commands }),
            project("alone", ["packages/*/{src,test}/**/*.test.ts"], { exclude: [together] }),
            project("together", [together], { isolate: false }),
          ],
        }),
  },
});
