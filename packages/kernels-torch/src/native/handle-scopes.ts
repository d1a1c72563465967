import type { Handle } from "./operator.ts";

/** Owns handles. The innermost {@link run} deletes them at its end, except its result. */
export class HandleScopes {
  readonly #remove: (handle: Handle) => void;
  /** Innermost last. */
  readonly #temporaries: Handle[] = [];
  #depth = 0;
  #live = 0;

  constructor(remove: (handle: Handle) => void) {
    this.#remove = remove;
  }

  get live(): number {
    return this.#live;
  }

  /** Runs a kernel and deletes its handles, except the result. */
  run<T extends Handle | readonly Handle[] | void>(body: () => T): T {
    const start = this.#temporaries.length;
    this.#depth += 1;
    let retained: readonly Handle[] = [];
    try {
      const result = body();
      retained = typeof result === "number" ? [result] : (result ?? []);
      return result;
    } finally {
      this.#depth -= 1;
      this.#release(start, retained);
    }
  }

  /** Like {@link run}, but the caller must delete the result. */
  apart(body: () => Handle): Handle {
    const depth = this.#depth;
    this.#depth = 0;
    try {
      return this.run(body);
    } finally {
      this.#depth = depth;
    }
  }

  add(handle: Handle): Handle {
    this.#live += 1;
    this.#temporaries.push(handle);
    return handle;
  }

  delete(handle: Handle): void {
    this.#live -= 1;
    this.#remove(handle);
  }

  #release(start: number, retained: readonly Handle[]): void {
    const temporaries = this.#temporaries;
    while (temporaries.length > start) {
      const handle = temporaries.pop()!;
      if (!retained.includes(handle)) this.delete(handle);
    }
    if (this.#depth > 0) temporaries.push(...retained);
  }
}
