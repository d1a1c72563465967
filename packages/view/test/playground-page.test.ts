import { expect, test } from "vitest";
import { firstState, nextState } from "../web/playground/state.ts";
import { firstSettings, settingsIn } from "../web/playground/worker/settings.ts";

test("an ended worker leaves no device, and the next command hides the failure", () => {
  const failure = { code: "worker_ended", message: "no answer" } as const;
  const opened = { ...firstState(firstSettings("relay")), device: "wasm", active: true };
  const ended = nextState(opened, { type: "failed", failure });
  expect(ended).toMatchObject({ device: null, active: false, failure });
  expect(nextState(ended, { type: "sent", busy: null, stopping: false }).failure).toBeNull();
});

test("an address names the device, WebAssembly by default", () => {
  expect(["", "?device=webgpu", "?device=cuda"].map((query) => settingsIn(query, "relay").device)).toEqual([
    "wasm",
    "webgpu",
    "wasm",
  ]);
});
