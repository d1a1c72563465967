import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { FreeBlocks } from "./wasm-memory.ts";

test("a part is taken from the first block with room, in whole units", () => {
  const blocks = new FreeBlocks(64);
  blocks.add(64, 640);
  expect([blocks.take(1), blocks.take(0), blocks.take(65)]).toEqual([64, 128, 192]);
  expect([blocks.bytes, blocks.before(704)]).toEqual([384, 384]);
  blocks.add(64, 1);
  expect([blocks.take(100), blocks.take(64)]).toEqual([320, 64]);
  expect(blocks.take(257)).toBeNull();
  expect(blocks.take(256)).toBe(448);
  expect([blocks.bytes, blocks.before(704)]).toEqual([0, 0]);
});

test("neighbours that are free are one block, in whatever order they come back", () => {
  for (const order of [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ]) {
    const blocks = new FreeBlocks(64);
    for (const i of order) blocks.add(64 + 64 * i, 64);
    expect(blocks.take(192)).toBe(64);
  }
});

test("no two parts of 3,000 that come and go overlap, and all of the memory comes back", () => {
  const random = randomFromSeed("blocks");
  const blocks = new FreeBlocks(64);
  blocks.add(64, 1 << 20);
  const taken = new Map<number, number>();
  for (let i = 0; i < 3000; i++) {
    const [address] = [...taken.keys()].slice(random.integer(taken.size + 1));
    if (address !== undefined && random.uniform() < 0.5) {
      blocks.add(address, taken.get(address) as number);
      taken.delete(address);
      continue;
    }
    const bytes = random.integer(20_000);
    const index = blocks.take(bytes);
    if (index === null) continue;
    const overlapping = [...taken].filter(
      ([start, size]) => index < start + Math.max(1, size) && start < index + bytes,
    );
    expect(overlapping).toEqual([]);
    expect(index % 64).toBe(0);
    taken.set(index, bytes);
  }
  for (const [address, bytes] of taken) blocks.add(address, bytes);
  expect([blocks.bytes, blocks.take(1 << 20)]).toEqual([1 << 20, 64]);
});
