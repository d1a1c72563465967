import { spawnSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import koffi from "koffi";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import type { TorchInstall } from "../find/torch-install.ts";
import { cudaGraphs, type DeviceGraphs } from "./cuda-graphs.ts";
import { CudaStreams } from "./cuda-streams.ts";

const pooled = 77;

/** CUDA's runtime as far as graphs go: a capture is begun and ended on one stream, and is no graph with `broken`. */
const runtime = (broken: boolean): string => `
#include <stdint.h>
static uint64_t capturing;
int cudaStreamBeginCapture(uint64_t stream, int mode) {
  if (capturing || mode != 1) return 3;
  capturing = stream;
  return 0;
}
int cudaStreamEndCapture(uint64_t stream, uint64_t *graph) {
  if (capturing != stream) return 4;
  capturing = 0;
  *graph = ${broken ? 0 : 500};
  return ${broken ? 2 : 0};
}
int cudaGraphInstantiateWithFlags(uint64_t *executable, uint64_t graph, unsigned long long flags) {
  *executable = graph + 1;
  return flags == 0 ? 0 : 5;
}
int cudaGraphDestroy(uint64_t graph) { return graph == 500 ? 0 : 6; }
int cudaGraphExecDestroy(uint64_t executable) { return executable == 501 ? 0 : 7; }
int cudaGraphLaunch(uint64_t executable, uint64_t stream) { return executable == 501 && stream == 11 ? 0 : 8; }
int cudaDeviceSynchronize(void) { return 0; }
int cudaGetLastError(void) { return 0; }
const char *cudaGetErrorName(int error) { return error == 2 ? "cudaErrorStreamCaptureInvalidated" : "cudaErrorOther"; }
`;

function writeTo(address: number, value: number): number {
  new BigUint64Array(koffi.view(BigInt(address), 8))[0] = BigInt(value);
  return 0;
}

/** Null without a compiler. */
async function graphsOn(broken: boolean): Promise<{ graphs: DeviceGraphs; current(): number } | null> {
  const folder = await temporaryFolder();
  const libraries = join(folder, "nvidia/cuda_runtime/lib");
  await mkdir(libraries, { recursive: true });
  await writeFile(join(folder, "runtime.c"), runtime(broken));
  const { status } = spawnSync("cc", [
    "-shared",
    "-fPIC",
    "-o",
    join(libraries, "libcudart.so.13"),
    join(folder, "runtime.c"),
  ]);
  if (status !== 0) return null;
  const install: TorchInstall = {
    folder: join(folder, "torch"),
    libraries: join(folder, "torch/lib"),
    version: "2.14.0",
    cuda: true,
  };
  let current = 11;
  const streams = new CudaStreams(
    {
      currentStream: (_index, into) => writeTo(Number(into), current),
      setCurrentStream: (stream) => {
        current = Number(stream);
        return 0;
      },
      streamFromPool: (_priority, _index, into) => writeTo(Number(into), pooled),
    },
    0,
  );
  const graphs = cudaGraphs(install, streams);
  return graphs && { graphs, current: () => current };
}

test("work is captured on a stream of its own and launched on the current one", async ({ skip }) => {
  const made = await graphsOn(false);
  if (made === null) return skip("there is no C compiler");
  const { graphs, current } = made;
  expect(graphs.apart(current)).toBe(pooled);
  const seen: number[] = [];
  const outcome = graphs.capture(() => void seen.push(current()));
  expect([seen, current(), outcome]).toEqual([[pooled], 11, { graph: 501 }]);
  graphs.launch(501);
  expect(() => graphs.launch(9)).toThrow("a graph cannot be launched: cudaErrorOther");
});

test("a capture that fails is ended: by CUDA it is a reason, by its body an error", async ({ skip }) => {
  const [broken, whole] = [await graphsOn(true), await graphsOn(false)];
  if (broken === null || whole === null) return skip("there is no C compiler");
  const reason = { refusal: "end: cudaErrorStreamCaptureInvalidated" };
  expect(broken.graphs.capture(() => undefined)).toEqual(reason);
  expect(broken.graphs.capture(() => undefined)).toEqual(reason);
  const fail = (): void => {
    throw new Error("the body");
  };
  expect(() => whole.graphs.capture(fail)).toThrow("the body");
  expect(whole.current()).toBe(11);
  expect(whole.graphs.capture(() => undefined)).toEqual({ graph: 501 });
});
