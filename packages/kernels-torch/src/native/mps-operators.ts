import { LaconicError } from "@laconic/core";
import type { Library } from "./library.ts";
import { slotPlaces, type NativeCalls } from "./native-calls.ts";
import type { Argument, Handle, Operator, ResultCount } from "./operator.ts";
import type { ScalarType } from "./scalar-type.ts";

/**
 * Operators that the CPU may compute: on few rows or numbers. Others process whole activations or weights; a run on
 * the CPU would be faster.
 */
export const processorOperators: ReadonlySet<string> = new Set(
  ["sort", "topk", "searchsorted.Tensor", "cumsum", "index_copy_", "_softmax", "_log_softmax", "max.dim"].map(
    (name) => `aten::${name}`,
  ),
);

interface Memory {
  readonly make: (shape: readonly number[], type: ScalarType, where: "host" | "mps") => Handle;
  readonly remove: (handle: Handle) => void;
}

export class MpsOperators {
  readonly #calls: NativeCalls;
  readonly #library: Library;
  readonly #memory: Memory;
  readonly #counts = new Map<string, number>();

  constructor(calls: NativeCalls, memory: Memory) {
    this.#calls = calls;
    this.#library = calls.library;
    this.#memory = memory;
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /** @throws LaconicError `device_unavailable` for an operator not allowed on the CPU */
  invoke(op: Operator<ResultCount>, args: readonly Argument[]): void {
    const { name } = op;
    // A refusal leaks its arguments.
    if (!this.#counts.has(name))
      try {
        this.#calls.invoke(op, args);
        return;
      } catch (error) {
        if (!LaconicError.is(error) || !error.message.includes("not currently implemented for the MPS device"))
          throw error;
        if (!processorOperators.has(name)) {
          const { major, minor } = this.#library.version;
          throw new LaconicError(
            "device_unavailable",
            `MPS lacks ${name} in PyTorch ${major}.${minor}; install a newer version, or use device cpu or webgpu`,
            { operator: name },
            error,
          );
        }
      }
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#onProcessor(op, args);
  }

  #onProcessor(op: Operator<ResultCount>, args: readonly Argument[]): void {
    const { slots } = this.#calls;
    const copies = new Map<Handle, Handle>();
    try {
      const moved = args.map((argument) => this.#moved(argument, copies));
      this.#calls.dispatch(op, moved);
      const results = Array.from({ length: op.results }, (_, i) => slots.integer(i));
      const [first] = args;
      if (op.name.endsWith("_") && typeof first === "number") {
        this.#copy(first, copies.get(first)!);
        for (const result of results) this.#memory.remove(result);
        slots.setInteger(0, this.#calls.duplicate(first));
        return;
      }
      const onDevice = results.map((result) => this.#like(result, "mps"));
      for (const result of results) this.#memory.remove(result);
      onDevice.forEach((handle, i) => slots.setInteger(i, handle));
    } finally {
      for (const copy of copies.values()) this.#memory.remove(copy);
    }
  }

  #moved(argument: Argument, copies: Map<Handle, Handle>): Argument {
    if (typeof argument === "number") {
      const copy = copies.get(argument) ?? this.#like(argument, "host");
      copies.set(argument, copy);
      return copy;
    }
    if (argument === null) return null;
    if ("some" in argument) return { some: this.#moved(argument.some, copies) };
    if ("tensors" in argument)
      return { tensors: argument.tensors.map((tensor) => this.#moved(tensor, copies) as Handle) };
    return argument;
  }

  #like(handle: Handle, where: "host" | "mps"): Handle {
    const { describe, toHost } = this.#library;
    const { slots } = this.#calls;
    const answer = slots.addressOf(slotPlaces.result);
    const ask = (name: keyof typeof describe): number => {
      slots.setInteger(slotPlaces.result, 0);
      this.#calls.check(describe[name]?.(handle, answer) ?? 1, name);
      return slots.integer(slotPlaces.result);
    };
    const sizes = new BigInt64Array(ask("dimensions"));
    const type = ask("type") as ScalarType;
    if (sizes.length > 0) toHost(sizes, ask("sizes"), sizes.byteLength);
    const made = this.#memory.make(Array.from(sizes, Number), type, where);
    this.#copy(made, handle);
    return made;
  }

  #copy(into: Handle, from: Handle): void {
    this.#calls.counters.hostCopies += 1;
    this.#calls.counters.blockingCopies += 1;
    this.#calls.check(this.#library.functions.copyInto(into, from, 0), "copy_");
  }
}
