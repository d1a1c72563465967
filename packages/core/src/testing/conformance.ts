/**
 * Conformance case of implementations of T, for any test runner.
 * @example for (const item of languageModelCases(prompt)) test(item.name, () => item.run(createModel));
 */
export interface ConformanceCase<T> {
  readonly name: string;
  /** Rejects with an Error that describes the expectation. */
  run(create: () => T | Promise<T>): Promise<void>;
}

/** Throws unless the claim holds, without a test runner. */
export function expectThat(holds: boolean, expectation: string): asserts holds {
  if (!holds) throw new Error(`expected ${expectation}`);
}
