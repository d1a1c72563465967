import { defineConfig } from "vitest/config";

/** `npm run test:chaos` and nothing else: kills, damage, full disks and hostile peers take minutes. */
const isChaos = process.env["LACONIC_CHAOS"] !== undefined;

export default defineConfig({
  test: {
    include: isChaos ? ["test/chaos/**/*.test.ts"] : ["{packages,apps}/*/{src,test}/**/*.test.ts", "test/*.test.ts"],
    setupFiles: ["./test/setup.ts"],
    testTimeout: 30_000,
    ...(isChaos && { maxConcurrency: 2 }),
  },
});
