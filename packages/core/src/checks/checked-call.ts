import { type ErrorDetail, inputError, LaconicError, thrownText } from "../errors.ts";

/** Name, kind and location of a user's value in messages. */
export interface ValueName {
  readonly name: string;
  readonly value: string;
  readonly place?: string;
}

/**
 * Calls a user's synchronous function and checks its result.
 * @param lacks - reason why the result is invalid, or null
 * @throws LaconicError `input_invalid`
 */
export function checkedCall<T>(of: ValueName, call: () => T, lacks: (result: unknown) => string | null): T {
  let input: T;
  try {
    input = call();
  } catch (error) {
    throw thrown(of, error);
  }
  checkValue(of, input, lacks);
  return input;
}

/** {@link checkedCall} for possibly asynchronous functions. */
export async function checkedAnswer<T>(
  of: ValueName,
  call: () => T | Promise<T>,
  lacks: (result: unknown) => string | null,
): Promise<T> {
  let input: T;
  try {
    input = await call();
  } catch (error) {
    throw thrown(of, error);
  }
  checkValue(of, input, lacks);
  return input;
}

/** Checks the result of a user's synchronous function. */
export function checkValue(of: ValueName, input: unknown, lacks: (result: unknown) => string | null): void {
  if (input instanceof Promise) {
    input.catch(() => undefined); // not awaited
    throw refused(of, "returned a promise; it must be synchronous, so compute async inputs before");
  }
  const lack = lacks(input);
  if (lack !== null) throw refused(of, lack);
}

function thrown(of: ValueName, error: unknown): LaconicError {
  if (LaconicError.is(error)) return error;
  const kind = error instanceof Error ? `${error.name}: ` : "";
  return refused(of, `threw ${kind}${thrownText(error)}`, error);
}

function refused({ name, value, place }: ValueName, reason: string, cause?: unknown): LaconicError {
  const detail: ErrorDetail = { value, name, ...(place !== undefined && { place }) };
  return inputError(`${place === undefined ? "" : `${place}: `}${name} ${reason}`, detail, cause);
}
