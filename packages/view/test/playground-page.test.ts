import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { heartbeat } from "../web/playground/heartbeat.ts";
import { firstState, nextState } from "../web/playground/state.ts";
import { firstSettings, settingsIn } from "../web/playground/worker/settings.ts";

describe("a watched worker", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  test("is given up once after 20 silent seconds, and again after a later message", () => {
    const [ping, silent] = [vi.fn<() => void>(), vi.fn<() => void>()];
    const beat = heartbeat(ping, silent);
    vi.advanceTimersByTime(20_000);
    expect(silent).toHaveBeenCalledTimes(0);
    vi.advanceTimersByTime(30_000);
    expect(silent).toHaveBeenCalledTimes(1);
    beat.received();
    vi.advanceTimersByTime(22_500);
    expect(silent).toHaveBeenCalledTimes(2);
    expect(ping).toHaveBeenCalledTimes(29);
    beat.stop();
    vi.advanceTimersByTime(60_000);
    expect(ping).toHaveBeenCalledTimes(29);
  });

  test("is not given up for time while the page was suspended", () => {
    const silent = vi.fn<() => void>();
    const beat = heartbeat(() => undefined, silent);
    for (let i = 0; i < 5; i++) {
      vi.advanceTimersByTime(5000);
      // Then time passes in which no timer runs.
      vi.spyOn(performance, "now").mockReturnValueOnce(performance.now() + 600_000);
    }
    expect(silent).toHaveBeenCalledTimes(0);
    beat.stop();
  });
});

describe("the page's state", () => {
  const failure = { during: "start", code: "worker_silent", message: "no answer" } as const;

  test("a worker that answers again is present; an ended one is missing", () => {
    const missing = nextState(firstState(firstSettings("relay")), { type: "failed", failure });
    expect(nextState(missing, { type: "pong" }).failure).toBeNull();
    const ended = nextState(missing, { type: "failed", failure: { ...failure, code: "worker_ended" } });
    expect(nextState(ended, { type: "pong" }).failure?.code).toBe("worker_ended");
    expect(ended).toMatchObject({ device: null, active: false });
    // What is asked of nobody hides nothing.
    const asked = { type: "sent", busy: null, stopping: false, begins: false } as const;
    expect(nextState(missing, asked).failure).toEqual(failure);
    expect(nextState(missing, { ...asked, begins: true }).failure).toBeNull();
  });

  test("knows the last save and whether it is stored", () => {
    const state = nextState(firstState(firstSettings("relay")), { type: "saved", step: 10, archive: null });
    expect(state.savedStep).toBe(10);
    const keeping = { isKept: false, words: "full" };
    expect(nextState(state, { type: "keeping", keeping }).keeping).toEqual(keeping);
  });

  test("an address names the device, WebAssembly by default", () => {
    expect(["", "?device=webgpu", "?device=cuda"].map((query) => settingsIn(query, "relay").device)).toEqual([
      "wasm",
      "webgpu",
      "wasm",
    ]);
  });
});
