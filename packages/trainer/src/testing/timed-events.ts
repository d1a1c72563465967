/** Events by time; equal times keep insertion order. */
export interface TimedEvents {
  readonly size: number;
  /** Adds an event. The returned function cancels it. */
  at(time: number, go: () => void): () => void;
  next(): { readonly time: number; readonly go: () => void } | undefined;
}

interface Event {
  readonly time: number;
  readonly order: number;
  go: (() => void) | null;
}

export function timedEvents(): TimedEvents {
  const heap: Event[] = [];
  let order = 0;
  let called = 0;
  const isBefore = (a: Event, b: Event): boolean => a.time < b.time || (a.time === b.time && a.order < b.order);
  const rise = (event: Event): void => {
    let i = heap.push(event) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = heap[parent] as Event;
      if (!isBefore(event, above)) break;
      heap[i] = above;
      i = parent;
    }
    heap[i] = event;
  };
  const sink = (event: Event): void => {
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Event, heap[child] as Event)) child += 1;
      if (!isBefore(heap[child] as Event, event)) break;
      heap[i] = heap[child] as Event;
      i = child;
    }
    heap[i] = event;
  };
  const pop = (): Event | undefined => {
    const [first] = heap;
    const last = heap.pop();
    if (first && last && first !== last) sink(last);
    return first;
  };
  return {
    get size() {
      return heap.length - called;
    },
    at(time, go) {
      const event: Event = { time, order: order++, go };
      rise(event);
      return () => {
        if (event.go) called += 1;
        event.go = null;
      };
    },
    next() {
      for (let event = pop(); event; event = pop()) {
        const { time, go } = event;
        event.go = null;
        if (go) return { time, go };
        called -= 1;
      }
      return undefined;
    },
  };
}
