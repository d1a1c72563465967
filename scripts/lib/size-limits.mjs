import { readFileSync } from "node:fs";

/**
 * What each package may cost, with head room over what it costs now. `test/size-limits.test.ts` checks bundles and exports, `npm run
 * check:packages` what is installed and what of it the example of its README leaves unread.
 * - `bundle`: bytes of everything that the first entry exports, minified
 * - `installed`: megabytes on disk after npm installed it alone
 * - `unused`: megabytes of packages among them of which the example of its README reads no module
 * - `exports`: names over all entries
 * - `root`: names of the first entry
 *
 * @type {Readonly<Record<string, import("./size-limits.d.mts").SizeLimit>>}
 */
export const sizeLimits = {
  "@laconic/verify": { installed: 3, unused: 0, exports: 12 },
  "@laconic/baselines": { installed: 15, unused: 1 },
  "@laconic/benchmarks": { installed: 21, unused: 4 },
  "@laconic/budget": { bundle: 14_000, installed: 3, unused: 0, exports: 24 },
  "@laconic/engine": { installed: 5, unused: 0 },
  "@laconic/core": { bundle: 13_000, installed: 3, unused: 0, exports: 372, root: 150 },
  "@laconic/evaluation": { installed: 28, unused: 4 },
  "@laconic/grading": { installed: 10, unused: 0, exports: 52 },
  "@laconic/gspo": { bundle: 32_768, installed: 3, unused: 0, exports: 84 },
  "@laconic/hub": { installed: 9, unused: 4 },
  "@laconic/kernels-tfjs": { installed: 45, unused: 2 },
  // Koffi comes with PyTorch's library, which its example does not need.
  "@laconic/kernels-torch": { installed: 10, unused: 5 },
  "@laconic/openai": { installed: 3, unused: 0 },
  "@laconic/rewards": { bundle: 32_000, installed: 3, unused: 0, exports: 80 },
  "@laconic/runtime": { installed: 48, unused: 10 },
  "@laconic/sandbox": { installed: 6, unused: 1 },
  "@laconic/serve": { installed: 9, unused: 0 },
  "@laconic/tasks": { bundle: 56_000, installed: 32, unused: 28 },
  "@laconic/tinker": { installed: 9, unused: 0 },
  "@laconic/topologies": { bundle: 50_000, installed: 3, unused: 0, exports: 85 },
  "@laconic/trainer": { installed: 12, unused: 0 },
  "@laconic/view": { installed: 60, unused: 35 },
  laconic: { installed: 196, unused: 192 },
};

/**
 * Lines and characters of source and lines of tests that each package and the whole tree may have: a package grows only where lines are removed
 * elsewhere. `node scripts/size-caps.mjs --write` writes the present sizes where the whole tree did not grow.
 *
 * @type {import("./size-counts.d.mts").SizeTable}
 */
export const sizeCaps = Object.fromEntries(
  Object.entries(JSON.parse(readFileSync(new URL("size-caps.json", import.meta.url), "utf8"))).map(
    ([room, [source, bytes, tests]]) => [room, { source, bytes, tests }],
  ),
);
