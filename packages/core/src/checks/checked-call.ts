import { LaconicError, thrownText, type ErrorDetail } from "../errors.ts";

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
export function checkedCall<T>(of: ValueName, call: () => T, lacks: (given: unknown) => string | null): T {
  let given: T;
  try {
    given = call();
  } catch (error) {
    throw LaconicError.is(error) ? error : thrown(of, error);
  }
  checkValue(of, given, lacks);
  return given;
}

/** {@link checkedCall} for possibly asynchronous functions. */
export async function checkedAnswer<T>(
  of: ValueName,
  call: () => T | Promise<T>,
  lacks: (given: unknown) => string | null,
): Promise<T> {
  let given: T;
  try {
    given = await call();
  } catch (error) {
    throw LaconicError.is(error) ? error : thrown(of, error);
  }
  checkValue(of, given, lacks);
  return given;
}

/** Checks the result of a user's synchronous function. */
export function checkValue(of: ValueName, given: unknown, lacks: (given: unknown) => string | null): void {
  if (given instanceof Promise) {
    given.catch(() => undefined); // not awaited
    throw refused(of, "returned a promise; it must be synchronous, so compute async inputs before");
  }
  const lack = lacks(given);
  if (lack !== null) throw refused(of, lack);
}

function thrown(of: ValueName, error: unknown): LaconicError {
  const kind = error instanceof Error ? `${error.name}: ` : "";
  return refused(of, `threw ${kind}${thrownText(error)}`, error);
}

function refused({ name, value, place }: ValueName, reason: string, cause?: unknown): LaconicError {
  const detail: ErrorDetail = { value, name, ...(place !== undefined && { place }) };
  return new LaconicError(
    "input_invalid",
    `${place === undefined ? "" : `${place}: `}${name} ${reason}`,
    detail,
    cause,
  );
}
