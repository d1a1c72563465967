import { afterEach, beforeEach, vi } from "vitest";

// A library that prints cannot be silenced by its user: any console call in a test is a failure.
const methods = ["log", "info", "warn", "error", "debug"] as const;
beforeEach(() => {
  for (const method of methods)
    vi.spyOn(console, method).mockImplementation((...values: unknown[]) => {
      throw new Error(`console.${method} was called in a test: ${values.map(String).join(" ")}`);
    });
});
afterEach(() => {
  vi.restoreAllMocks();
});
