import { LaconicError } from "@laconic/core";
import type { Kernels, Recorder, Tensor } from "@laconic/engine/kernels";
import { expect, test } from "vitest";
import { standInKernels, type StandIn } from "./testing/stand-in-kernels.ts";

function recordingKernels(): StandIn & { readonly recorder: Recorder } {
  const made = standInKernels({ graphs: true });
  return { ...made, recorder: made.kernels.recorder as Recorder };
}

const matrix = (kernels: Kernels): Tensor => kernels.zeros([4, 8]);

test("what is recorded is launched, and launched again", () => {
  const { kernels, recorder, calls } = recordingKernels();
  const [x, weight, sum] = [matrix(kernels), kernels.zeros([8, 8]), matrix(kernels)];
  const body = (): void => kernels.linearOnto(sum, x, weight);
  recorder.rehearse(body);
  const recording = recorder.record(body);
  const products = calls.get("addmm");
  expect([recording?.replay(), recording?.replay()]).toEqual([true, true]);
  expect(calls.get("addmm")).toBe(products);
  expect(calls.get("launch graph")).toBe(3);
  expect(recorder.counts).toEqual({ recorded: 1, replayed: 2, refused: {} });
  recording?.free();
  expect(calls.get("destroy graph")).toBe(1);
  expect(recording?.replay()).toBe(false);
});

test("memory that a recording uses is given back with it, not before", () => {
  const { kernels, recorder, calls } = recordingKernels();
  const [x, weight] = [matrix(kernels), kernels.zeros([8, 8])];
  const body = (): void => kernels.free(kernels.swiGlu(kernels.linear(x, weight), kernels.linear(x, weight)));
  recorder.rehearse(body);
  const before = calls.get("delete") ?? 0;
  const recording = recorder.record(body);
  expect(calls.get("delete")).toBe(before);
  recording?.free();
  expect(calls.get("delete")).toBeGreaterThan(before + 2);
});

test("numbers move with each run as the host counts them", () => {
  const { kernels, recorder } = recordingKernels();
  const at = kernels.upload(Int32Array.of(3, 5), [2]);
  const table = matrix(kernels);
  const recording = recorder.record(() => kernels.advance(at, -1));
  const picks = (): boolean => {
    try {
      kernels.gatherRows(table, at);
      return true;
    } catch (error) {
      if (!LaconicError.is(error)) throw error;
      return false;
    }
  };
  expect(picks()).toBe(false);
  recording?.replay();
  expect(picks()).toBe(true);
  for (let i = 0; i < 2; i++) recording?.replay();
  expect(picks()).toBe(false);
});

test("what a graph cannot hold is refused by reason, and counts as not run", () => {
  const { kernels, recorder } = recordingKernels();
  const [at, table] = [kernels.upload(Int32Array.of(0, 1), [2]), matrix(kernels)];
  const upload = (): void => {
    kernels.advance(at, 3);
    kernels.upload(Int32Array.of(1), [1]);
  };
  expect(recorder.record(upload)).toBeNull();
  expect(recorder.record(upload)).toBeNull();
  expect(recorder.counts).toEqual({ recorded: 0, replayed: 0, refused: { "a graph cannot hold an upload": 2 } });
  kernels.gatherRows(table, at);
});

test("CUDA's own refusal is a reason like any other", () => {
  const { kernels } = standInKernels({ graphs: { refusal: "end: cudaErrorStreamCaptureInvalidated" } });
  const at = kernels.upload(Int32Array.of(0, 1), [2]);
  expect(kernels.recorder?.record(() => kernels.advance(at, 3))).toBeNull();
  expect(kernels.recorder?.counts.refused).toEqual({ "end: cudaErrorStreamCaptureInvalidated": 1 });
  kernels.gatherRows(matrix(kernels), at);
});

test("where memory runs out the step is not recorded, and what is kept is given up", () => {
  const { kernels, recorder, calls } = recordingKernels();
  const at = kernels.upload(Int32Array.of(0, 1), [2]);
  const kept = recorder.record(() => kernels.advance(at, 1));
  const full = (): void => {
    throw new LaconicError("device_out_of_memory", "the GPU is full");
  };
  expect(recorder.record(full)).toBeNull();
  expect(recorder.counts.refused).toEqual({ "the GPU is full": 1 });
  expect(calls.get("destroy graph")).toBe(1);
  expect(kept?.replay()).toBe(false);
});

test.for([
  ["a tensor that it reads is freed", (kernels: Kernels, x: Tensor) => kernels.free(x)],
  [
    "a cache is made",
    (kernels: Kernels) => kernels.freeCache(kernels.createCache({ pages: 1, pageSize: 256, kvHeads: 1, headDim: 8 })),
  ],
  ["room is made for weights", (kernels: Kernels) => kernels.free(...kernels.together([[4, 4]]))],
] as const)("a recording is given up before %s", ([, change]) => {
  const { kernels, recorder, calls } = recordingKernels();
  const [x, weight, sum] = [matrix(kernels), kernels.zeros([8, 8]), matrix(kernels)];
  const recording = recorder.record(() => kernels.linearOnto(sum, x, weight));
  change(kernels, x);
  expect(calls.get("destroy graph")).toBe(1);
  expect(recording?.replay()).toBe(false);
  expect(calls.get("launch graph")).toBe(1);
});

test("values may change in place, whatever follows from them", () => {
  const { kernels, recorder } = recordingKernels();
  const [table, at] = [matrix(kernels), kernels.upload(Int32Array.of(0, 1), [2])];
  const out = kernels.zeros([2, 8]);
  const all = kernels.upload(Int32Array.of(0, 1), [2]);
  const copied = (): void =>
    kernels.scope(() => kernels.writeRows(out, all, kernels.gatherRows(table, kernels.copy(at))));
  recorder.rehearse(copied);
  const fromCopy = recorder.record(copied);
  const direct = (): void => kernels.scope(() => kernels.writeRows(out, all, kernels.gatherRows(table, at)));
  recorder.rehearse(direct);
  const fromDerived = recorder.record(direct);
  kernels.writeRows(at, all, kernels.upload(Int32Array.of(2, 3), [2]));
  expect(fromCopy?.replay()).toBe(true);
  // It would read the row numbers that were worked out from the old values.
  expect(fromDerived?.replay()).toBe(false);
});
