import { useEffect, useState } from "preact/hooks";

export interface Store<T> {
  get(): T;
  set(next: T): void;
  subscribe(listener: (value: T) => void): () => void;
}

export function storeOf<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<(value: T) => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of Array.from(listeners)) listener(next);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns the value and redraws on changes. */
export function useStore<T>(store: Store<T>): T {
  const [, redraw] = useState(0);
  useEffect(() => {
    redraw((count) => count + 1);
    return store.subscribe(() => redraw((count) => count + 1));
  }, [store]);
  return store.get();
}
