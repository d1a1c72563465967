import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recordingTerminal } from "../../test/recording-terminal.ts";
import { spinner, spinWhile } from "./progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("reports work above a second once without a terminal, and shorter work not at all", async () => {
  const terminal = recordingTerminal();
  spinner(terminal, "loading the model")();
  await vi.advanceTimersByTimeAsync(5000);
  expect(terminal.err).toEqual([]);
  const end = spinner(terminal, "loading the model");
  await vi.advanceTimersByTimeAsync(999);
  expect(terminal.err).toEqual([]);
  await vi.advanceTimersByTimeAsync(4000);
  expect(terminal.err).toEqual(["loading the model ..."]);
  end();
});

test("the terminal line counts seconds until the work ends or fails", async () => {
  const lines: string[] = [];
  const terminal = { ...recordingTerminal(), interactive: true, status: (line: string) => void lines.push(line) };
  const ended = spinWhile(terminal, "measuring", async () => {
    await new Promise((resolve) => void setTimeout(resolve, 3500));
    throw new Error("no");
  }).catch((error: unknown) => String(error));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await ended).toBe("Error: no");
  expect(lines).toEqual(["measuring, 1 s", "measuring, 2 s", "measuring, 3 s", ""]);
});
