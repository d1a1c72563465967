import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,apps}/*/{src,test}/**/*.test.ts", "test/**/*.test.ts"],
    setupFiles: ["./test/setup.ts"],
    // No package keeps global state, so files may share a process: half the time.
    isolate: false,
    testTimeout: 30_000,
  },
});
