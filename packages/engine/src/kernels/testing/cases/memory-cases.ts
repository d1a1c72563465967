import { expectThat } from "@laconic/core/testing";
import type { Kernels, Tensor } from "../../contract.ts";
import { expectRefusal, expectSame, type KernelCase } from "./kernel-case.ts";

const values = [1, -2, 3.5, 0.25, 8, -0.125];

function upload(kernels: Kernels): Tensor {
  return kernels.upload(Float64Array.from(values), [2, 3]);
}

function expectAlive(kernels: Kernels, before: number, count: number, when: string): void {
  const alive = kernels.liveTensors() - before;
  expectThat(alive === count, `${count} tensors alive ${when}, got ${alive}`);
}

function memoryCase(name: string, body: (kernels: Kernels) => void | Promise<void>): KernelCase {
  return {
    name: `memory: ${name}`,
    async run(create) {
      const kernels = await create();
      const before = kernels.liveTensors();
      await body(kernels);
      expectAlive(kernels, before, 0, "at the end");
    },
  };
}

export const memoryCases: readonly KernelCase[] = [
  memoryCase("float and int32 numbers come back, with shape and dtype", async (kernels) => {
    const [floats, ints] = [upload(kernels), kernels.upload(Int32Array.of(7, -1, 2 ** 30), [3])];
    expectThat(floats.dtype === "float" && floats.shape.join() === "2,3", "a float tensor of shape 2,3");
    expectThat(ints.dtype === "int32" && ints.shape.join() === "3", "an int32 tensor of shape 3");
    const [readFloats, readInts] = [await kernels.read(floats), await kernels.read(ints)];
    expectSame("floats", readFloats, values);
    expectSame("ints", readInts, [7, -1, 2 ** 30]);
    expectThat(!(readFloats instanceof Int32Array), "floats as a float array");
    expectThat(readInts instanceof Int32Array, "ints as an Int32Array");
    kernels.free(floats, ints);
  }),
  memoryCase("float32 and float64 arrays upload alike", async (kernels) => {
    const tensor = kernels.upload(Float32Array.from(values), [6]);
    expectSame("floats", await kernels.read(tensor), values);
    kernels.free(tensor);
  }),
  memoryCase("upload and read copy: later changes on the host do not show", async (kernels) => {
    const host = Float64Array.from(values);
    const tensor = kernels.upload(host, [6]);
    host.fill(9);
    (await kernels.read(tensor)).fill(9);
    expectSame("values", await kernels.read(tensor), values);
    kernels.free(tensor);
  }),
  memoryCase("zeros, copy and reshape", async (kernels) => {
    const zeros = kernels.zeros([3, 2]);
    expectSame("zeros", await kernels.read(zeros), [0, 0, 0, 0, 0, 0]);
    const source = upload(kernels);
    const [copy, flat] = [kernels.copy(source), kernels.reshape(source, [6])];
    expectThat(copy.shape.join() === "2,3" && flat.shape.join() === "6", "shapes 2,3 and 6");
    kernels.accumulate(copy, copy);
    expectSame("the copied one", await kernels.read(source), values);
    expectSame(
      "the doubled copy",
      await kernels.read(copy),
      values.map((value) => 2 * value),
    );
    kernels.free(source);
    expectSame("the reshaped one after its source is freed", await kernels.read(flat), values);
    kernels.free(zeros, copy, flat);
  }),
  memoryCase("an int32 tensor can be copied and reshaped", async (kernels) => {
    const ints = kernels.upload(Int32Array.of(4, 5, 6, 7), [4]);
    const [copy, square] = [kernels.copy(ints), kernels.reshape(ints, [2, 2])];
    kernels.free(ints);
    expectThat(copy.dtype === "int32" && square.dtype === "int32", "int32 tensors");
    expectSame("the copy", await kernels.read(copy), [4, 5, 6, 7]);
    expectSame("the reshaped one", await kernels.read(square), [4, 5, 6, 7]);
    kernels.free(copy, square);
  }),
  memoryCase("a scope frees what it does not return, whatever the nesting of the result", (kernels) => {
    const before = kernels.liveTensors();
    const result = kernels.scope(() => {
      const [a, b, c, lost] = [upload(kernels), upload(kernels), upload(kernels), upload(kernels)];
      expectRefusal("the sum with a tensor freed in the scope", "engine_failed", () => {
        kernels.free(lost);
        kernels.add(a, lost);
      });
      kernels.add(a, b);
      return { a, list: [b, { c }], count: 3 };
    });
    expectAlive(kernels, before, 3, "after the scope");
    const [b, { c }] = result.list as [Tensor, { c: Tensor }];
    kernels.free(result.a, b, c);
  }),
  memoryCase("what an inner scope returns belongs to the outer one", (kernels) => {
    const before = kernels.liveTensors();
    const retained = kernels.scope(() => {
      const inner = kernels.scope(() => kernels.scope(() => upload(kernels)));
      expectAlive(kernels, before, 1, "between the scopes");
      return kernels.add(inner, inner);
    });
    expectAlive(kernels, before, 1, "after the scopes");
    kernels.free(retained);
  }),
  memoryCase("a scope does not free earlier tensors, even if it returns them", async (kernels) => {
    const outside = upload(kernels);
    kernels.scope(() => kernels.scope(() => outside));
    kernels.scope(() => kernels.add(outside, outside) && undefined);
    expectSame("values", await kernels.read(outside), values);
    kernels.free(outside);
  }),
  memoryCase("keep takes a tensor out of every scope around it", async (kernels) => {
    const retained: Tensor[] = [];
    kernels.scope(() => {
      kernels.scope(() => {
        retained.push(kernels.keep(upload(kernels)));
      });
      const tensor = upload(kernels);
      retained.push(kernels.scope(() => kernels.keep(tensor)));
    });
    for (const tensor of retained) expectSame("a kept tensor", await kernels.read(tensor), values);
    kernels.free(...retained);
  }),
  memoryCase("a scope that throws frees everything it made", (kernels) => {
    const before = kernels.liveTensors();
    const failure = new Error("on purpose");
    let caught: unknown;
    try {
      kernels.scope(() => {
        upload(kernels);
        kernels.scope(() => {
          upload(kernels);
          throw failure;
        });
      });
    } catch (error) {
      caught = error;
    }
    expectThat(caught === failure, "the error to pass through");
    expectAlive(kernels, before, 0, "after the error");
    const tensor = kernels.scope(() => upload(kernels));
    expectAlive(kernels, before, 1, "in the next scope");
    kernels.free(tensor);
  }),
  memoryCase("a freed tensor is refused", (kernels) => {
    const [live, freed] = [upload(kernels), upload(kernels)];
    kernels.free(freed);
    const rows = kernels.upload(Int32Array.of(0), [1]);
    const uses: Readonly<Record<string, () => unknown>> = {
      add: () => kernels.add(live, freed),
      accumulate: () => kernels.accumulate(freed, live),
      linear: () => kernels.linear(live, freed),
      gatherRows: () => kernels.gatherRows(freed, rows),
      swiGlu: () => kernels.swiGlu(freed, live),
      sumSquares: () => kernels.sumSquares([live, freed]),
      copy: () => kernels.copy(freed),
      reshape: () => kernels.reshape(freed, [6]),
      keep: () => kernels.keep(freed),
      "free twice": () => kernels.free(freed),
    };
    for (const [name, use] of Object.entries(uses)) expectRefusal(name, "engine_failed", () => kernels.scope(use));
    kernels.free(live, rows);
  }),
  memoryCase("reading a freed tensor rejects or throws engine_failed", async (kernels) => {
    const freed = upload(kernels);
    kernels.free(freed);
    const outcome = await Promise.resolve()
      .then(() => kernels.read(freed))
      .catch((error: unknown) => error);
    expectRefusal("read", "engine_failed", () => {
      if (outcome instanceof Error) throw outcome;
    });
  }),
  memoryCase("a freed cache is refused", (kernels) => {
    const before = kernels.liveTensors();
    const cache = kernels.createCache({ pages: 2, pageSize: 3, kvHeads: 1, headDim: 4 });
    expectThat(kernels.liveTensors() > before, "a cache to count as alive");
    kernels.freeCache(cache);
    const ints = Int32Array.of(0);
    expectRefusal("copyCachePages", "engine_failed", () => kernels.copyCachePages(cache, ints, Int32Array.of(1), ints));
    expectRefusal("freeCache twice", "engine_failed", () => kernels.freeCache(cache));
  }),
];
