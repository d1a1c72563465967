import type { Engine } from "@laconic/core";
import { memoryFileSystem } from "@laconic/core/files";
import type { CreateKernels } from "../../kernels/index.ts";
import { createReferenceKernels, referenceKernels } from "../../kernels/testing/index.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { defaultFiles } from "#platform";
import * as browser from "../../platform/browser.ts";
import * as node from "../../platform/node.ts";
import { config, optimizer, requests, sequences } from "../../testing/cases/engine-case.ts";
import { engineCases } from "../../testing/engine-cases.ts";
import { createInlineEngine, createLocalEngine } from "../local-engine.ts";
import { serveEngine, type ServeEngineOptions, type WebWorkerScope } from "./serve-engine.ts";
import type { WebWorker } from "./worker-host.ts";

const kernels = { reference: async () => createReferenceKernels() };

function startWorker(options: ServeEngineOptions): WebWorker {
  const { port1, port2 } = new MessageChannel();
  const end = (port: InstanceType<typeof MessageChannel>["port1"]): object => ({
    addEventListener: port.addEventListener.bind(port),
    postMessage: port.postMessage.bind(port),
    terminate: () => port.close(),
    close: () => port.close(),
  });
  for (const port of [port1, port2]) port.start();
  serveEngine(options, end(port2) as WebWorkerScope);
  return end(port1) as WebWorker;
}

afterEach(() => void vi.unstubAllGlobals());

describe("an engine in a worker of the app", () => {
  let engine: Engine;
  beforeAll(async () => {
    const start = (): WebWorker => startWorker({ kernels, files: defaultFiles });
    engine = await createLocalEngine({ device: referenceKernels(), startWorker: start });
  });
  afterAll(() => engine.close());

  for (const item of engineCases)
    test(item.name, () => item.run(() => ({ ...engine, close: () => Promise.resolve() })));
});

async function trained(engine: Engine, path: string): Promise<unknown> {
  const model = await engine.createModel({ kind: "folder", path });
  await model.forwardBackward(sequences, ({ values }) => values.map((_, i) => 0.5 - i));
  await model.optimStep(optimizer);
  await model.save(`${path}-after`);
  return model.sample(requests);
}

test("models are in the worker's files as they would be in folders", async () => {
  const [served, inline] = [memoryFileSystem(), memoryFileSystem()];
  const first = await createInlineEngine([createReferenceKernels()], { files: inline });
  await (await first.createModel({ kind: "config", config, seed: 3 })).save("/m");
  for (const name of await inline.list("/m")) await served.write(`/m/${name}`, await inline.read(`/m/${name}`));
  const engine = await createLocalEngine({
    device: referenceKernels(),
    startWorker: () => startWorker({ kernels, files: served }),
  });
  expect(await trained(engine, "/m")).toEqual(await trained(first, "/m"));
  for (const name of await inline.list("/m-after"))
    expect(await served.digest(`/m-after/${name}`)).toEqual(await inline.digest(`/m-after/${name}`));
  expect(await served.list("/m-after")).toContain("model.safetensors");
  await engine.close();
  await expect(engine.createModel({ kind: "folder", path: "/m" })).rejects.toThrow("was closed");
});

test("a worker without the device's kernels says which it has", async () => {
  const device = { device: "wasm", module: "none" };
  const engine = createLocalEngine({ device, startWorker: () => startWorker({ kernels }) });
  await expect(engine).rejects.toFailWith("device_unavailable", "available: reference");
});

test("a worker that cannot be loaded fails the engine", async () => {
  let fail = (_event: { readonly message?: string }): void => undefined;
  const worker: WebWorker = {
    addEventListener: (kind, listener) => void (kind === "error" && (fail = listener)),
    postMessage: () => undefined,
    terminate: () => undefined,
  };
  const engine = createLocalEngine({ device: referenceKernels(), startWorker: () => worker });
  fail({ message: "no such file" });
  await expect(engine).rejects.toFailWith("engine_failed", "no such file");
});

test("several workers without shared memory are refused with the headers that allow it", async () => {
  vi.stubGlobal("SharedArrayBuffer", undefined);
  const engine = createLocalEngine({ device: referenceKernels(), workers: 2 });
  await expect(engine).rejects.toFailWith("device_unavailable", "Cross-Origin-Embedder-Policy");
});

test("kernel sets get the number of users of the machine", async () => {
  const places: unknown[] = [];
  const reference: CreateKernels = async (_, kernelPlace) => {
    places.push(kernelPlace);
    return createReferenceKernels();
  };
  const startOne = (): WebWorker => startWorker({ kernels: { reference }, files: defaultFiles });
  const engine = await createLocalEngine({ device: referenceKernels(), workers: 3, startWorker: startOne });
  expect(places).toEqual([{ sharing: 3 }, { sharing: 3 }, { sharing: 3 }]);
  await engine.close();
});

describe("a browser replaces Node's modules", () => {
  test("has the same names", () => expect(Object.keys(browser)).toEqual(Object.keys(node)));

  test("says what to give instead of folders and threads", async () => {
    await expect(browser.defaultFiles.openToRead("/model/config.json")).rejects.toFailWith("config_invalid");
    expect(() =>
      browser.startThread({
        device: referenceKernels(),
        place: { sharing: 1 },
        recompute: "none",
        optimizer: "device",
        sharePrefixes: true,
        limits: {},
      }),
    ).toThrow("startWorker");
  });

  test.each([node, browser])("lets everything that waits have its turn", async ({ nextTurn }) => {
    const order: string[] = [];
    const turn = nextTurn().then(() => order.push("turn"));
    void Promise.resolve().then(() => order.push("waiting"));
    await turn;
    expect(order).toEqual(["waiting", "turn"]);
  });
});
