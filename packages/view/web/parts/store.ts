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

export function keptStore(key: string, initial = ""): Store<string> {
  const store = storeOf(storedText(key) ?? initial);
  store.subscribe((value) => {
    try {
      localStorage.setItem(key, value);
    } catch {
      // Not stored; valid until the page closes.
    }
  });
  return store;
}

function storedText(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function useStore<T>(store: Store<T>): T {
  const [, redraw] = useState(0);
  useEffect(() => {
    redraw((count) => count + 1);
    return store.subscribe(() => redraw((count) => count + 1));
  }, [store]);
  return store.get();
}
