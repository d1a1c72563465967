import { expect, test } from "vitest";
import { LaconicError } from "../errors.ts";
import { Turns } from "./turns.ts";

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

/** Runs a task in its turn; null where it was aborted before. */
async function take<T>(turns: Turns, task: () => Promise<T>, signal?: AbortSignal, alone = false): Promise<T | null> {
  const places = alone ? turns.count : 1;
  try {
    await turns.enter(signal, places, alone);
  } catch (error) {
    if (signal?.aborted) return null;
    throw error;
  }
  return task().finally(() => turns.leave(places));
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a number of tasks run at a time; an exclusive task waits for earlier ones and precedes later ones", async () => {
  const turns = new Turns(2);
  const { running, task, end } = stage();
  const all = ["a", "b", "c", "d"].map((name) => take(turns, task(name)));
  const alone = take(turns, task("alone"), undefined, true);
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

test("an aborted waiter leaves the queue, and later ones move up", async () => {
  const turns = new Turns(1);
  const { running, task, end } = stage();
  const controller = new AbortController();
  void take(turns, task("a"));
  const aborted = take(turns, task("b"), controller.signal, true);
  const last = take(turns, task("c"));
  controller.abort();
  expect(await aborted).toBeNull();
  expect(await take(turns, task("d"), controller.signal)).toBeNull();
  end("a");
  await settled();
  expect([...running]).toEqual(["c"]);
  end("c");
  expect(await last).toBe("c");
});

test("a task that throws releases its turn; after close no task gets one", async () => {
  const turns = new Turns(1);
  await expect(take(turns, () => Promise.reject(new Error("no")), undefined, true)).rejects.toThrow("no");
  expect(await take(turns, async () => 1)).toBe(1);
  const { task } = stage();
  void take(turns, task("a"));
  const waiting = take(turns, task("b"));
  turns.close(new LaconicError("engine_failed", "it was closed"));
  await expect(waiting).rejects.toFailWith("engine_failed");
  await expect(take(turns, task("c"))).rejects.toFailWith("engine_failed");
});

test("more places admit waiting tasks; fewer places interrupt none", async () => {
  const turns = new Turns(1);
  const { running, task, end } = stage();
  const all = ["a", "b", "c", "d"].map((name) => take(turns, task(name)));
  await settled();
  expect([...running]).toEqual(["a"]);
  turns.count = 3;
  await settled();
  expect([...running]).toEqual(["a", "b", "c"]);
  turns.count = 1;
  end("a");
  end("b");
  await settled();
  expect([...running]).toEqual(["c"]);
  end("c");
  await settled();
  end("d");
  expect(await Promise.all(all)).toEqual(["a", "b", "c", "d"]);
});
