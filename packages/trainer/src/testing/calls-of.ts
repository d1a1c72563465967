import { Session } from "node:inspector/promises";

/** Which functions of some scripts were called, as V8 counts them: nothing is replaced, calls within a module count too. */
export interface CallCounter {
  /** Whether {@link during} called a function, which is exported as `name`. */
  called(name: string, fn: { readonly name: string }): boolean;
  /** Forgets what was counted before, does something, and counts. */
  during<T>(doing: () => Promise<T>): Promise<T>;
  close(): void;
}

/** @param isCounted - tells by its address which scripts count */
export async function callCounter(isCounted: (url: string) => boolean): Promise<CallCounter> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  let ran: ReadonlySet<string> = new Set();
  // A function is known by its name and the length of its text.
  const keyOf = (name: string, length: number): string => `${name}/${length}`;
  return {
    called: (name, fn) => ran.has(keyOf(fn.name === "" ? name : fn.name, String(fn).length)),
    async during(doing) {
      await session.post("Profiler.takePreciseCoverage");
      const result = await doing();
      const coverage = await session.post("Profiler.takePreciseCoverage");
      const functions = coverage.result.filter(({ url }) => isCounted(url)).flatMap((script) => script.functions);
      ran = new Set(
        functions.flatMap(({ functionName, ranges: [whole] }) =>
          whole && whole.count > 0 ? [keyOf(functionName, whole.endOffset - whole.startOffset)] : [],
        ),
      );
      return result;
    },
    // Coverage itself stays on: a coverage report of the tests may be counting too.
    close: () => session.disconnect(),
  };
}
