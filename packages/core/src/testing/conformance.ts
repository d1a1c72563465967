/**
 * One thing every implementation of T must do, as data: register it with any test runner.
 *
 * @example for (const item of languageModelCases(prompt)) test(item.name, () => item.run(createModel));
 */
export interface ConformanceCase<T> {
  /** A claim about the implementation. */
  readonly name: string;
  /** Rejects with an Error that says what was expected when the claim does not hold. */
  run(create: () => T | Promise<T>): Promise<void>;
}

/** Throws unless the claim holds; for writing conformance cases without a test runner. */
export function expectThat(holds: boolean, expectation: string): asserts holds {
  if (!holds) throw new Error(`expected ${expectation}`);
}
