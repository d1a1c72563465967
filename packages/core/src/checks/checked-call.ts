import { LaconicError, thrownText, type ErrorDetail } from "../errors.ts";

/** What a value of a user's own is called in messages, and what it is, for a caller who knows where it was made. */
export interface ValueName {
  /** As `estimator aboveMedian`. */
  readonly name: string;
  /** As `estimator`. */
  readonly value: string;
  /** Where in the run, as `step 3`. */
  readonly place?: string;
}

/**
 * Calls a function of a user's own that answers at once, and checks what it gives.
 * @param lacks - what the result lacks, in words; null where nothing
 * @throws LaconicError `input_invalid` naming the value where it throws, gives a promise, or lacks something; what Laconic's own
 * functions throw stays as it is
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

/** The same of a function that may answer with a promise. */
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

/** Checks what a value of a user's own gave, as {@link checkedCall} does; a promise is one that was not awaited. */
export function checkValue(of: ValueName, given: unknown, lacks: (given: unknown) => string | null): void {
  if (given instanceof Promise) {
    given.catch(() => undefined); // nobody waits for it
    throw refused(of, "gave a promise; it has to answer at once, so compute before what it waits for");
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
