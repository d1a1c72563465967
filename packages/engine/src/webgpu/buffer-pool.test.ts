import { expect, test } from "vitest";
import { BufferPool } from "./buffer-pool.ts";
import { GpuArray } from "./gpu-array.ts";
import type { ComputeDevice, GpuBuffer } from "./gpu.ts";

function pool(): { readonly buffers: BufferPool; readonly made: GpuBuffer[]; readonly destroyed: GpuBuffer[] } {
  const [made, destroyed]: [GpuBuffer[], GpuBuffer[]] = [[], []];
  const createBuffer = ({ size }: { readonly size: number }): GpuBuffer => {
    const buffer = { size, destroy: () => void destroyed.push(buffer) } as unknown as GpuBuffer;
    made.push(buffer);
    return buffer;
  };
  return { buffers: new BufferPool({ createBuffer } as unknown as ComputeDevice, 0), made, destroyed };
}

test("a freed buffer serves commands of its size at once, and an upload when the commands before are sent", () => {
  const { buffers, made } = pool();
  const first = buffers.take(64);
  buffers.give(first);
  expect(buffers.take(32)).not.toBe(first);
  expect(buffers.takeIdle(64)).not.toBe(first);
  expect(buffers.take(64)).toBe(first);
  buffers.give(first);
  buffers.sent();
  expect(buffers.takeIdle(64)).toBe(first);
  expect(made).toHaveLength(3);
});

test("arrays share a buffer until the last is released; an unused one is never made", () => {
  const { buffers, made } = pool();
  const released: GpuBuffer[] = [];
  const over = (): GpuArray =>
    GpuArray.over(
      [2, 3],
      "float32",
      () => buffers.take(24),
      (buffer) => void released.push(buffer),
    );
  const array = over();
  const view = array.view([6]);
  expect([array.isShared, view.buffer === array.buffer, view.size]).toEqual([true, true, 6]);
  array.dispose();
  expect([view.isShared, released]).toEqual([false, []]);
  view.dispose();
  expect(released).toEqual(made);
  over().dispose();
  expect([made.length, released.length]).toEqual([1, 1]);
});
