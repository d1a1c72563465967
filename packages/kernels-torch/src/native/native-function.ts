/** A C function. Handles and addresses are numbers. */
export type NativeFunction = (...args: readonly (number | bigint | boolean)[]) => number;
