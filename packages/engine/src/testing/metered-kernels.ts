import { LaconicError } from "@laconic/core";
import { expectThat } from "@laconic/core/testing";
import { tensorsIn, type Kernels, type KeyValueCache, type Tensor } from "../kernels/index.ts";
import { MeasuredKernels } from "../memory/measured-kernels.ts";

export interface MeteredKernels extends Pick<MeasuredKernels, "bytes" | "peak" | "startPeak"> {
  readonly kernels: Kernels;
}

/**
 * Kernel set with a memory. Every operation also runs on `measured`, with tensors of the same shapes.
 * @param limitBytes - an operation above it fails with `device_out_of_memory` and changes nothing
 */
export function metered(
  inner: Kernels,
  limitBytes: number = Infinity,
  measured: MeasuredKernels = new MeasuredKernels(inner.dtype),
): MeteredKernels {
  const shapes = measured.kernels;
  const twins = new WeakMap<object, object>();
  const twinOf = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const twin = twins.get(value);
    if (twin || Array.isArray(value)) return twin ?? (value as unknown[]).map(twinOf);
    if (Object.getPrototypeOf(value) !== Object.prototype) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, twinOf(part)]));
  };
  const pair = (made: Iterable<Tensor>, others: Iterable<Tensor>): void => {
    const rest = [...others];
    for (const tensor of made) {
      const twin = rest.shift() as Tensor;
      expectThat(twin.shape.join() === tensor.shape.join(), `shape ${tensor.shape.join()}, got ${twin.shape.join()}`);
      twins.set(tensor, twin);
    }
  };
  const expectRoom = (operation: string): void => {
    const wanted = measured.bytes();
    const message = `${operation}: ${wanted} bytes would be allocated, the limit is ${limitBytes}`;
    if (wanted > limitBytes) throw new LaconicError("device_out_of_memory", message, { operation, limitBytes });
  };
  const onBoth = (name: string, run: (...args: readonly unknown[]) => unknown) => {
    const measure = shapes[name as keyof Kernels] as typeof run;
    return (...args: readonly unknown[]): unknown => {
      const twin = measure(...args.map(twinOf));
      try {
        expectRoom(name);
        const result = run(...args);
        pair(tensorsIn(result), tensorsIn(twin));
        return result;
      } catch (error) {
        shapes.free(...tensorsIn(twin));
        throw error;
      }
    };
  };
  const lifetime: Partial<Kernels> = {
    scope<T>(body: () => T): T {
      let result: T | undefined;
      shapes.scope(() => {
        result = inner.scope(body);
        return [...tensorsIn(result)].map(twinOf);
      });
      return result as T;
    },
    keep(tensor) {
      shapes.keep(twinOf(tensor) as Tensor);
      return inner.keep(tensor);
    },
    free(...tensors) {
      shapes.free(...(tensors.map(twinOf) as Tensor[]));
      inner.free(...tensors);
    },
    createCache(size) {
      const twin = shapes.createCache(size);
      try {
        expectRoom("createCache");
        const cache = inner.createCache(size);
        twins.set(cache, twin);
        return cache;
      } catch (error) {
        shapes.freeCache(twin);
        throw error;
      }
    },
    freeCache(cache) {
      shapes.freeCache(twinOf(cache) as KeyValueCache);
      inner.freeCache(cache);
    },
  };
  const single = new Set<string>(["read", "dispose", "liveTensors", "memory", ...Object.keys(lifetime)]);
  const operations = Object.entries(inner).map(([name, run]: [string, unknown]) =>
    typeof run !== "function" || single.has(name) ? [name, run] : [name, onBoth(name, run as () => unknown)],
  );
  return {
    kernels: { ...(Object.fromEntries(operations) as Kernels), ...lifetime },
    bytes: () => measured.bytes(),
    peak: () => measured.peak(),
    startPeak: () => measured.startPeak(),
  };
}
