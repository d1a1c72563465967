import { expect, test, vi } from "vitest";
import { exitCodeOf, interrupted, interrupts } from "./interruption.ts";

test("the first signal stops work, the second ends the process, and later ones are ignored", () => {
  const before = process.listenerCount("SIGINT") + process.listenerCount("SIGTERM");
  const exit = vi.spyOn(process, "exit").mockImplementation(() => undefined as never);
  const notes: string[] = [];
  const { signal: stop, dispose } = interrupts((signal) => notes.push(signal));
  process.emit("SIGTERM", "SIGTERM");
  expect(exit).not.toHaveBeenCalled();
  process.emit("SIGINT", "SIGINT");
  dispose();
  expect(stop.reason).toBe("SIGTERM");
  expect(notes[0]).toBe("SIGTERM");
  expect(exit.mock.calls).toEqual([[130]]);
  exit.mockRestore();
  expect(process.listenerCount("SIGINT") + process.listenerCount("SIGTERM")).toBe(before);
});

test("a waiting caller receives the signal's name", async () => {
  const retained = process.listeners("SIGINT");
  const keptTerm = process.listeners("SIGTERM");
  const waiting = interrupted();
  process.emit("SIGTERM", "SIGTERM");
  await expect(waiting).resolves.toBe("SIGTERM");
  const codes = [false, true].map((stopped) =>
    ([null, "SIGINT", "SIGTERM"] as const).map((signal) => exitCodeOf({ interrupted: stopped, signal })),
  );
  expect(codes).toEqual([
    [0, 0, 0],
    [130, 130, 143],
  ]);
  for (const each of process.listeners("SIGINT")) if (!retained.includes(each)) process.off("SIGINT", each);
  for (const each of process.listeners("SIGTERM")) if (!keptTerm.includes(each)) process.off("SIGTERM", each);
});
