import { cp } from "node:fs/promises";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { ViewEvent } from "@laconic/view";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { dataThread, openThread, type ThreadSetup } from "../src/data/data-thread.ts";
import type { ViewData } from "../src/requests.ts";
import { settings, smallRun } from "./small-runs.ts";

interface Watched {
  readonly data: ViewData;
  readonly folder: string;
  readonly threads: readonly Worker[];
  readonly failures: readonly string[];
}

/** Two runs, and every thread that reads them. */
async function watched(): Promise<Watched> {
  const folder = await temporaryFolder();
  await smallRun(join(folder, "a"), { settings: { ...settings, steps: 1 } });
  await cp(join(folder, "a"), join(folder, "b"), { recursive: true });
  const threads: Worker[] = [];
  const failures: string[] = [];
  const open = (setup: ThreadSetup): Worker => {
    const worker = openThread(setup);
    threads.push(worker);
    return worker;
  };
  const data = await dataThread({ folders: [folder] }, (error) => failures.push((error as Error).message), open);
  onTestFinished(() => data.close());
  return { data, folder, threads, failures };
}

const namesAndStates = async (data: ViewData): Promise<string[]> =>
  (await data.runs()).map(({ name, state }) => `${name} ${state}`).toSorted();

test("a new thread replaces an ended one and serves waiting requests and watchers", async () => {
  const { data, folder, threads, failures } = await watched();
  const heard: ViewEvent[] = [];
  data.listen((event) => heard.push(event));
  expect(await namesAndStates(data)).toEqual(["a done", "b done"]);
  const asked = namesAndStates(data);
  await threads[0]?.terminate();
  expect(await asked).toEqual(["a done", "b done"]);
  expect([threads.length, failures]).toEqual([2, ["the thread that reads run folders ended: it ended with code 1"]]);
  // What changed meanwhile is unknown, so all is asked anew; and what comes later is heard.
  expect(heard).toContainEqual({ type: "runs" });
  heard.length = 0;
  await cp(join(folder, "a"), join(folder, "c"), { recursive: true });
  await expect.poll(() => heard, { timeout: 30_000 }).toContainEqual({ type: "runs" });
});

test("a request that outlives two threads fails, and the next one succeeds", async () => {
  const { data, threads } = await watched();
  const asked = data.runs().catch((error: unknown) => (error as Error).message);
  await threads[0]?.terminate();
  await threads[1]?.terminate();
  expect(await asked).toMatch(/^the thread that reads run folders ended: it ended with code \d$/u);
  expect(await namesAndStates(data)).toEqual(["a done", "b done"]);
});

test("reports threads that never answer instead of retrying forever", async () => {
  let threads = 0;
  const open = (): Worker => {
    threads += 1;
    return new Worker("process.exit(7)", { eval: true });
  };
  const opened = dataThread({ folders: [await temporaryFolder()] }, () => undefined, open);
  await expect(opened).rejects.toThrow("ended with code 7");
  expect(threads).toBeLessThanOrEqual(3);
});
