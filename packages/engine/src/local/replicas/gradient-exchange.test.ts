import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import type { ModelOnDevice } from "../../transformer/model-on-device.ts";
import { createExchange, slotViews, sumShare } from "./gradient-exchange.ts";

function modelOf(shapes: Readonly<Record<string, readonly number[]>>): ModelOnDevice {
  const tensors = Object.entries(shapes).map(([name, shape]) => [name, { shape }] as const);
  return { parameters: new Map(tensors), adapter: null } as unknown as ModelOnDevice;
}

test.each([
  ["float32", 1],
  ["float32", 2],
  ["float32", 3],
  ["float64", 5],
] as const)("%s: %i replicas add up in their order, each its share, to the bit", (dtype, replicas) => {
  const model = modelOf({ a: [3, 7], b: [5], c: [1, 2] });
  const exchange = createExchange(28, replicas, dtype);
  const random = randomFromSeed(7);
  const expected = new Float64Array(28);
  for (let replica = 0; replica < replicas; replica++) {
    let index = 0;
    for (const { values } of slotViews(exchange, replica, model))
      for (let k = 0; k < values.length; k++, index++) {
        values[k] = (random.uniform() - 0.5) * 10 ** (6 * random.uniform());
        const sum = (expected[index] as number) + (values[k] as number);
        expected[index] = dtype === "float32" ? Math.fround(sum) : sum;
      }
  }
  // The shares come in any order.
  for (let replica = replicas - 1; replica >= 0; replica--) sumShare(exchange, replica);
  const sums = slotViews(exchange, 0, model);
  expect(sums.map(({ name, shape }) => `${name} ${shape.join("x")}`)).toEqual(["a 3x7", "b 5", "c 1x2"]);
  expect(sums.flatMap(({ values }) => [...values])).toEqual([...expected]);
});
