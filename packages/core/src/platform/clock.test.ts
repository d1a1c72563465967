import { expect, test, vi } from "vitest";
import { systemClock } from "./clock.ts";

test("hundreds of listeners wait on one signal without a warning, and all get its end", async () => {
  const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
  const stop = new AbortController();
  const waits = Array.from({ length: 300 }, () => systemClock.sleep(60_000, stop.signal));
  stop.abort();
  const ends = await Promise.allSettled(waits);
  expect(ends.filter(({ status }) => status === "rejected")).toHaveLength(300);
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});
