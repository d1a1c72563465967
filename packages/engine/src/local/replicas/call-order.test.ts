import { expect, test } from "vitest";
import { CallOrder } from "./call-order.ts";

function tasks(): {
  log: string[];
  task: (name: string) => () => Promise<string>;
  end: (name: string) => Promise<void>;
} {
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    log,
    task: (name) => async () => {
      log.push(`+${name}`);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      log.push(`-${name}`);
      if (name.startsWith("bad")) throw new Error(name);
      return name;
    },
    end: async (name) => {
      ends.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test("samples run together, between what runs alone", async () => {
  const order = new CallOrder();
  const { log, task, end } = tasks();
  const runs = [
    order.together(task("a")),
    order.together(task("b")),
    order.alone(task("c")),
    order.together(task("d")),
    order.alone(task("e")),
  ];
  for (const name of ["b", "a", "c", "d", "e"]) await end(name);
  expect(await Promise.all(runs)).toEqual(["a", "b", "c", "d", "e"]);
  expect(log).toEqual(["+a", "+b", "-b", "-a", "+c", "-c", "+d", "-d", "+e", "-e"]);
});

test("a call that fails fails alone", async () => {
  const order = new CallOrder();
  const { task, end } = tasks();
  const runs = [order.together(task("bad a")), order.alone(task("bad b")), order.together(task("c"))];
  const outcomes = Promise.allSettled(runs);
  for (const name of ["bad a", "bad b", "c"]) await end(name);
  expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});
