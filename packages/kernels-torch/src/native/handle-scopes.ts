import type { Handle } from "./operator.ts";

/**
 * Owns the handles that native calls return: each belongs to the innermost {@link run} and is deleted at its end, unless it
 * is the result.
 */
export class HandleScopes {
  readonly #remove: (handle: Handle) => void;
  /** Of the running kernels, innermost last. */
  readonly #temporaries: Handle[] = [];
  #depth = 0;
  #live = 0;
  /** Handles given up while a graph is captured, whose memory it goes on using. */
  #captured: Handle[] | null = null;

  constructor(remove: (handle: Handle) => void) {
    this.#remove = remove;
  }

  /** Handles made and not deleted. */
  get live(): number {
    return this.#live;
  }

  get isCapturing(): boolean {
    return this.#captured !== null;
  }

  /** Runs a kernel; of the handles made inside, those in the result survive and belong to the caller. */
  run<T extends Handle | readonly Handle[]>(body: () => T): T {
    const start = this.#temporaries.length;
    this.#depth += 1;
    let kept: readonly Handle[] = [];
    try {
      const result = body();
      kept = typeof result === "number" ? [result] : result;
      return result;
    } finally {
      this.#depth -= 1;
      this.#release(start, kept);
    }
  }

  /** Like {@link run}, but the result belongs to nobody: the caller deletes it. */
  apart(body: () => Handle): Handle {
    const depth = this.#depth;
    this.#depth = 0;
    try {
      return this.run(body);
    } finally {
      this.#depth = depth;
    }
  }

  /** Takes a new handle into the innermost run. */
  add(handle: Handle): Handle {
    this.#live += 1;
    this.#temporaries.push(handle);
    return handle;
  }

  delete(handle: Handle): void {
    if (this.#captured) {
      this.#captured.push(handle);
      return;
    }
    this.#live -= 1;
    this.#remove(handle);
  }

  /**
   * Runs `body` and keeps what it deletes, as a captured graph needs.
   * @returns its result, and what deletes those handles; where `body` throws, they are deleted at once
   */
  capture<T>(body: () => T): { readonly result: T; readonly release: () => void } {
    const handles: Handle[] = [];
    const release = (): void => {
      for (const handle of handles.splice(0)) this.delete(handle);
    };
    this.#captured = handles;
    let isDone = false;
    try {
      const result = body();
      isDone = true;
      return { result, release };
    } finally {
      this.#captured = null;
      if (!isDone) release();
    }
  }

  #release(start: number, kept: readonly Handle[]): void {
    const temporaries = this.#temporaries;
    while (temporaries.length > start) {
      const handle = temporaries.pop() as Handle;
      if (!kept.includes(handle)) this.delete(handle);
    }
    // An enclosing kernel owns what survives.
    if (this.#depth > 0) temporaries.push(...kept);
  }
}
