import { cString } from "./native-memory.ts";
import type { ScalarType } from "./scalar-type.ts";

/** Address of an at::Tensor on torch's heap: one owned reference. */
export type Handle = number;

/** An argument of an operator by its schema type. A plain number is a borrowed tensor handle. */
export type Argument =
  | Handle
  | { readonly int: number }
  | { readonly float: number }
  | { readonly bool: boolean }
  | { readonly type: ScalarType }
  /** None is negative. */
  | { readonly ints: readonly number[] }
  | { readonly bools: readonly boolean[] }
  | { readonly tensors: readonly Handle[] }
  /** Only of operators that are called as plain C functions. */
  | { readonly text: string }
  /** An optional argument that is given. */
  | { readonly some: Argument }
  /** An optional argument that is not. */
  | null;

/** An operator of the dispatcher, its names kept as native texts. */
export interface Operator<Count extends ResultCount = 1> {
  readonly name: string;
  readonly nameAddress: number;
  readonly overloadAddress: number;
  readonly results: Count;
}

export type ResultCount = 0 | 1 | 2 | 3 | 5;

/** As many handles as an operator returns. */
export type Handles<Count extends ResultCount> = [
  readonly [],
  readonly [Handle],
  readonly [Handle, Handle],
  readonly [Handle, Handle, Handle],
  never,
  readonly [Handle, Handle, Handle, Handle, Handle],
][Count];

const known = new Map<string, Operator<ResultCount>>();

/** Every operator that the loaded kernels call, so that a check can hold them against PyTorch's own list. */
export function knownOperators(): readonly Operator<ResultCount>[] {
  return [...known.values()];
}

/** `operator("aten::max", "dim", 2)` returns two tensors. */
export function operator(name: string, overload?: string): Operator;
export function operator<Count extends ResultCount>(name: string, overload: string, results: Count): Operator<Count>;
export function operator(name: string, overload = "", results: ResultCount = 1): Operator<ResultCount> {
  // Addresses are made by the first call: a machine without native calls loads this module too.
  let [nameAddress, overloadAddress]: [number | null, number | null] = [null, null];
  const made: Operator<ResultCount> = {
    name: overload === "" ? name : `${name}.${overload}`,
    get nameAddress() {
      return (nameAddress ??= cString(name));
    },
    get overloadAddress() {
      return (overloadAddress ??= cString(overload));
    },
    results,
  };
  known.set(made.name, made);
  return made;
}

/** Operators that only look at memory otherwise. */
const views: ReadonlySet<string> = new Set(["aten::transpose.int"]);

/** Whether an operator computes or copies anything. */
export function computes({ name }: Operator<ResultCount>): boolean {
  return !views.has(name);
}
