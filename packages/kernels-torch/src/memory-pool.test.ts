import { expect, test } from "vitest";
import { MemoryPool, sizeClass } from "./memory-pool.ts";
import { scalarType } from "./native/scalar-type.ts";
import type { Torch } from "./native/torch.ts";

const { float32, bfloat16 } = scalarType;

function standIn(): { readonly torch: Torch; readonly elements: () => number; readonly handles: () => number } {
  const alive = new Map<number, number>();
  let next = 1;
  const made = (elements: number): number => {
    alive.set(next, elements);
    return next++;
  };
  const torch = {
    apart: (body: () => number) => body(),
    empty: ([length]: readonly number[]) => made(length as number),
    view: () => made(0),
    delete(handle: number) {
      if (!alive.delete(handle)) throw new Error(`handle ${handle} is deleted twice`);
    },
  } as unknown as Torch;
  return {
    torch,
    elements: () => [...alive.values()].reduce((sum, elements) => sum + elements, 0),
    handles: () => alive.size,
  };
}

test("a block serves tensors of its size and type again, with its views", () => {
  const { torch, handles } = standIn();
  const pool = new MemoryPool(torch);
  const first = pool.take(1000, float32);
  const view = pool.viewsOf(first, [10, 100]).get("");
  const other = pool.take(1000, bfloat16);
  pool.give(first);
  pool.give(other);
  expect(pool.take(1000, bfloat16)).toBe(other);
  const again = pool.take(995, float32);
  expect(again).toBe(first);
  expect(pool.viewsOf(again, [10, 100]).get("")).toBe(view);
  for (let length = 1; length < 20; length++) pool.viewsOf(again, [length]);
  // Two blocks, and views of four shapes.
  expect(handles()).toBe(6);
});

test("cached and used memory never exceed the peak use", () => {
  const { torch, elements } = standIn();
  const pool = new MemoryPool(torch);
  const used = new Map<number, ReturnType<MemoryPool["take"]>>();
  let most = 0;
  let seed = 1;
  for (let i = 0; i < 3000; i++) {
    seed = (seed * 48_271) % 2_147_483_647;
    const held = used.get(seed % 7);
    if (held) {
      pool.give(held);
      used.delete(seed % 7);
    } else used.set(seed % 7, pool.take(1 + (seed % 5000), float32));
    if (seed % 50 === 0) pool.age();
    most = Math.max(
      most,
      [...used.values()].reduce((sum, block) => sum + block.elements, 0),
    );
    expect(elements()).toBeLessThanOrEqual(most);
  }
});

test("memory unused by two outermost scopes is released, and all of it on demand", () => {
  const { torch, handles } = standIn();
  const pool = new MemoryPool(torch);
  pool.give(pool.take(100, float32));
  pool.age();
  pool.age();
  expect(handles()).toBe(1);
  pool.age();
  expect(handles()).toBe(0);
  const retained = pool.take(50, float32);
  pool.give(pool.take(60, float32));
  pool.clear();
  expect(handles()).toBe(1);
  pool.give(retained);
});

test("sizes are rounded up by a sixteenth at most", () => {
  for (let elements = 1; elements < 100_000; elements += 37) {
    const size = sizeClass(elements);
    expect(size).toBeGreaterThanOrEqual(elements);
    expect(size).toBeLessThanOrEqual(Math.ceil(elements * (1 + 1 / 16)));
    expect(sizeClass(size)).toBe(size);
  }
});
