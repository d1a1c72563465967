/**
 * What the packages that a stranger installs first may cost, with head room over what they cost now. `test/size-limits.test.ts` checks
 * bundles and exports, `npm run check:packages` what is installed, and prints it for every package.
 * - `bundle`: bytes of everything that the first entry exports, minified
 * - `installed`: megabytes on disk after npm installed it alone
 * - `exports`: names over all entries
 *
 * @type {Readonly<Record<string, import("./size-limits.d.mts").SizeLimit>>}
 */
export const sizeLimits = {
  "@laconic/core": { bundle: 30_000, installed: 3, exports: 300 },
  "@laconic/gspo": { bundle: 32_000, installed: 3, exports: 84 },
  "@laconic/rewards": { bundle: 32_000, installed: 3, exports: 80 },
  "@laconic/budget": { bundle: 14_000, installed: 3, exports: 25 },
  "@laconic/topologies": { bundle: 43_000, installed: 3, exports: 85 },
  "@laconic/kernels": { bundle: 14_000, installed: 3, exports: 65 },
  "@laconic/kernels-wasm": { installed: 3, exports: 10 },
  "@laconic/kernels-webgpu": { installed: 3, exports: 10 },
  "@laconic/audit": { installed: 3, exports: 12 },
  "@laconic/report": { exports: 45 },
  "@laconic/tasks": { bundle: 49_000, installed: 3, exports: 88 },
  "@laconic/openai": { installed: 3, exports: 30 },
};
