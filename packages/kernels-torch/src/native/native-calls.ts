import { LaconicError } from "@laconic/core";
import type { Library } from "./library.ts";
import { cString, Slots } from "./native-memory.ts";
import { aten, type Argument, type Handle, type Operator, type ResultCount } from "./operator.ts";
import type { LoadedShim } from "./shims.ts";
import type { KernelCounters } from "@laconic/engine/kernels";

export const slotPlaces = { result: 64, second: 65, sizes: 72, strides: 80, borrowed: 88 } as const;
const borrowedSlots = 128;

export class NativeCalls {
  readonly library: Library;
  readonly slots: Slots = new Slots(slotPlaces.borrowed + borrowedSlots);
  readonly counters: { -readonly [name in keyof KernelCounters]: number } = {
    operations: 0,
    nativeCalls: 0,
    dispatcherCalls: 0,
    hostCopies: 0,
    blockingCopies: 0,
    bytesToDevice: 0,
    bytesToHost: 0,
  };

  constructor(library: Library) {
    this.library = library;
  }

  invoke(op: Operator<ResultCount>, args: readonly Argument[]): void {
    const shim = this.library.shims.get(op.name);
    const [a, b] = args;
    if (shim?.takes.length === 2 && args.length === 2 && typeof a === "number" && typeof b === "number")
      this.check(shim.call(a, b, this.slots.addressOf(0)), op.name);
    else if (!shim || !this.#borrow(shim, op, args)) this.dispatch(op, args);
    // A transpose is a view.
    if (op.name !== aten.transpose.name) this.counters.operations += 1;
  }

  /** Calls a C function that borrows its arguments; false if unsupported. */
  #borrow({ takes, call }: LoadedShim, op: Operator<ResultCount>, args: readonly Argument[]): boolean {
    for (let i = takes.length; i < args.length; i++) if (args[i] !== null) return false;
    const slots = this.slots;
    const input: number[] = [];
    let free = slotPlaces.borrowed;
    const pointTo = (value: number, isFloat = false): void => {
      if (isFloat) slots.setDouble(free, value);
      else slots.setInteger(free, value);
      input.push(slots.addressOf(free));
      free += 1;
    };
    for (let i = 0; i < takes.length; i++) {
      const argument = args[i] ?? null;
      const value = argument !== null && typeof argument === "object" && "some" in argument ? argument.some : argument;
      if (takes[i] === "empty") input.push(0, 0);
      else if (value === null) input.push(0);
      else if (takes[i] === "none") return false;
      else if (takes[i] === "tensor?") pointTo(value as number);
      else if (typeof value === "number") input.push(value);
      else if (takes[i] === "int?") pointTo((value as { readonly int: number }).int);
      else if ("int" in value) input.push(value.int);
      else if (takes[i] === "float?") pointTo((value as { readonly float: number }).float, true);
      else if ("float" in value) input.push(value.float);
      else if ("bool" in value) input.push(value.bool ? 1 : 0);
      else if ("type" in value) pointTo(value.type);
      else if ("text" in value) input.push(cString(value.text));
      else if ("ints" in value || "tensors" in value) {
        const items = "ints" in value ? value.ints : value.tensors;
        if (free + items.length > slotPlaces.borrowed + borrowedSlots - takes.length) return false;
        input.push(slots.addressOf(free), items.length);
        for (const item of items) slots.setInteger(free++, item);
      } else return false;
    }
    for (let i = 0; i < op.results; i++) input.push(slots.addressOf(i));
    this.check(call(...input), op.name);
    return true;
  }

  dispatch(op: Operator<ResultCount>, args: readonly Argument[]): void {
    const slots = this.slots;
    for (let i = 0; i < args.length; i++) this.#place(i, args[i] as Argument);
    const { callDispatcher } = this.library.functions;
    this.counters.dispatcherCalls += 1;
    const status = callDispatcher(op.nameAddress, op.overloadAddress, slots.address, this.library.abiVersion);
    // Torch may have consumed arguments; a leak is better than a double free.
    this.check(status, op.name);
  }

  /** Calls consume tensors, lists and optionals, so each gets a new reference. */
  #place(slot: number, argument: Argument): void {
    const slots = this.slots;
    if (argument === null) slots.setInteger(slot, 0);
    else if (typeof argument === "number") slots.setInteger(slot, this.duplicate(argument));
    else if ("int" in argument) slots.setInteger(slot, argument.int);
    else if ("float" in argument) slots.setDouble(slot, argument.float);
    else if ("bool" in argument) slots.setInteger(slot, argument.bool ? 1 : 0);
    else if ("type" in argument) slots.setInteger(slot, argument.type);
    else if ("ints" in argument) slots.setInteger(slot, this.#list(argument.ints.map((int) => ({ int }))));
    else if ("bools" in argument) slots.setInteger(slot, this.#list(argument.bools.map((bool) => ({ bool }))));
    else if ("tensors" in argument) slots.setInteger(slot, this.#list(argument.tensors));
    else if ("some" in argument) slots.setInteger(slot, this.#optional(argument.some));
    else throw new LaconicError("engine_failed", `the dispatcher does not support text such as "${argument.text}"`);
  }

  #list(items: readonly Argument[]): number {
    const { newList, pushBack } = this.library.functions;
    const slots = this.slots;
    this.check(newList(items.length, slots.addressOf(slotPlaces.result)), "new list");
    const list = slots.integer(slotPlaces.result);
    for (const item of items) {
      this.#place(slotPlaces.second, item);
      this.check(pushBack(list, slots.integer(slotPlaces.second)), "list");
    }
    return list;
  }

  #optional(inner: Argument): number {
    const { newSlot, malloc, toNative } = this.library;
    this.#place(slotPlaces.second, inner);
    let target: number;
    if (newSlot) {
      this.check(newSlot(this.slots.addressOf(slotPlaces.result)), "new slot");
      target = this.slots.integer(slotPlaces.result);
    } else {
      // Before 2.13 torch frees the block with C++ delete, which calls free.
      target = malloc(8);
    }
    this.counters.nativeCalls += 1;
    toNative(target, this.slots.bytes(slotPlaces.second), 8);
    return target;
  }

  duplicate(handle: Handle): Handle {
    const slots = this.slots;
    this.check(this.library.functions.newHandle(handle, slots.addressOf(slotPlaces.result)), "new handle");
    return slots.integer(slotPlaces.result);
  }

  compute(status: number, what: string): void {
    this.counters.operations += 1;
    this.check(status, what);
  }

  check(status: number, what: string): void {
    this.counters.nativeCalls += 1;
    if (status === 0) return;
    const text = this.library.errorText?.() ?? "PyTorch before 2.13 gives no reason";
    const [line = text] = text.split("\n");
    if (/out of memory|allocate memory/i.test(text))
      throw new LaconicError("device_out_of_memory", `${what}: ${line}`, { operator: what });
    throw new LaconicError("engine_failed", `${what} failed in PyTorch: ${line}`, { operator: what });
  }
}
