import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

/** Tasks that end when told, and what is running. */
function stage(): {
  readonly running: Set<string>;
  task(name: string): () => Promise<string>;
  end(name: string): void;
} {
  const running = new Set<string>();
  const ends = new Map<string, () => void>();
  return {
    running,
    task: (name) => () =>
      new Promise((resolve) => {
        running.add(name);
        ends.set(name, () => {
          running.delete(name);
          resolve(name);
        });
      }),
    end: (name) => ends.get(name)?.(),
  };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("so many run at a time; one that runs alone waits for those before it and goes before those that wait", async () => {
  const turns = new Turns(2);
  const { running, task, end } = stage();
  const all = ["a", "b", "c", "d"].map((name) => turns.take(task(name)));
  const alone = turns.take(task("alone"), { alone: true });
  await settled();
  expect([...running]).toEqual(["a", "b"]);
  end("a");
  await settled();
  expect([...running]).toEqual(["b"]);
  end("b");
  await settled();
  expect([...running]).toEqual(["alone"]);
  end("alone");
  await settled();
  expect([...running]).toEqual(["c", "d"]);
  end("c");
  end("d");
  expect(await Promise.all([...all, alone])).toEqual(["a", "b", "c", "d", "alone"]);
});

test("who is aborted while it waits leaves the line, and those behind it move up", async () => {
  const turns = new Turns(1);
  const { running, task, end } = stage();
  const controller = new AbortController();
  void turns.take(task("a"));
  const aborted = turns.take(task("b"), { signal: controller.signal, alone: true });
  const last = turns.take(task("c"));
  controller.abort();
  expect(await aborted).toBeNull();
  expect(await turns.take(task("d"), { signal: controller.signal })).toBeNull();
  end("a");
  await settled();
  expect([...running]).toEqual(["c"]);
  end("c");
  expect(await last).toBe("c");
});

test("a task that throws gives its turn back; after close nobody gets one", async () => {
  const turns = new Turns(1);
  await expect(turns.take(() => Promise.reject(new Error("no")), { alone: true })).rejects.toThrow("no");
  expect(await turns.take(async () => 1)).toBe(1);
  const { task } = stage();
  void turns.take(task("a"));
  const waiting = turns.take(task("b"));
  turns.close();
  await expect(waiting).rejects.toMatchObject({ code: "engine_failed" });
  await expect(turns.take(task("c"))).rejects.toMatchObject({ code: "engine_failed" });
});
