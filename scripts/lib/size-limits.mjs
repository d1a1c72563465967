import { readFileSync } from "node:fs";

/**
 * Limits of each package, with head room. `test/size-limits.test.ts` checks bundles and exports, `npm run
 * check:packages` the installed size and the part that the README's example does not use.
 * - `bundle`: minified bytes of all exports of the first entry
 * - `installed`: megabytes on disk after npm installed only this package
 * - `unused`: megabytes of installed packages of which the README's example loads no module
 * - `exports`: names over all entries
 * - `root`: names of the first entry
 */
export const sizeLimits = {
  "@laconic/verify": { installed: 3, unused: 0, exports: 12 },
  "@laconic/baselines": { installed: 15, unused: 1 },
  "@laconic/benchmarks": { installed: 21, unused: 4 },
  "@laconic/budget": { bundle: 14_000, installed: 3, unused: 0, exports: 24 },
  "@laconic/engine": { installed: 5, unused: 0 },
  "@laconic/core": { bundle: 13_000, installed: 3, unused: 0, exports: 373, root: 150 },
  "@laconic/evaluation": { installed: 28, unused: 4 },
  "@laconic/meter": { installed: 3, unused: 0, exports: 40 },
  "@laconic/grading": { installed: 10, unused: 0, exports: 52 },
  "@laconic/gspo": { bundle: 32_768, installed: 3, unused: 0, exports: 84 },
  "@laconic/hub": { installed: 9, unused: 4 },
  "@laconic/kernels-tfjs": { installed: 45, unused: 2 },
  // Koffi comes with PyTorch's kernels, which the example does not use.
  "@laconic/kernels-torch": { installed: 10, unused: 5 },
  "@laconic/openai": { installed: 3, unused: 0 },
  "@laconic/rewards": { bundle: 32_000, installed: 3, unused: 0, exports: 80 },
  "@laconic/runtime": { installed: 48, unused: 10 },
  "@laconic/sandbox": { installed: 6, unused: 1 },
  "@laconic/serve": { installed: 9, unused: 0 },
  "@laconic/tasks": { bundle: 56_000, installed: 32, unused: 28 },
  "@laconic/tinker": { installed: 9, unused: 0 },
  "@laconic/topologies": { bundle: 51_000, installed: 3, unused: 0, exports: 86 },
  "@laconic/trainer": { installed: 12, unused: 0 },
  "@laconic/view": { installed: 60, unused: 35 },
  "@laconic/cli": { installed: 196, unused: 192 },
};

/**
 * Max lines and characters of source and lines of tests. `node scripts/size-caps.mjs --write` writes the present sizes
 * unless the whole tree grew.
 */
export const sizeCaps = Object.fromEntries(
  Object.entries(JSON.parse(readFileSync(new URL("size-caps.json", import.meta.url), "utf8"))).map(
    ([room, [source, bytes, tests]]) => [room, { source, bytes, tests }],
  ),
);
