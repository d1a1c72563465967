import type { NativeFunction } from "./native-function.ts";
import { Slots } from "./native-memory.ts";

/** What torch has for streams; all of it from 2.10. */
export interface StreamFunctions {
  readonly currentStream: NativeFunction;
  readonly setCurrentStream: NativeFunction | null;
  readonly streamFromPool: NativeFunction | null;
}

/** PyTorch's streams of one GPU on this thread. */
export class CudaStreams {
  readonly #functions: StreamFunctions;
  readonly #index: number;
  readonly #slots = new Slots(1);
  #current: number | null = null;

  /** @param index - of the GPU */
  constructor(functions: StreamFunctions, index: number) {
    this.#functions = functions;
    this.#index = index;
  }

  /** Where work goes. */
  get current(): number {
    if (this.#current === null) {
      this.#functions.currentStream(this.#index, this.#slots.address);
      this.#current = this.#slots.integer(0);
    }
    return this.#current;
  }

  /** A stream of torch's pool; null where torch has none to give, or does not let it be used. */
  fromPool(): number | null {
    const { streamFromPool, setCurrentStream } = this.#functions;
    if (setCurrentStream === null || streamFromPool?.(0, this.#index, this.#slots.address) !== 0) return null;
    return this.#slots.integer(0);
  }

  /** Runs `body` with another stream as the current one. */
  on<T>(stream: number, body: () => T): T {
    const before = this.current;
    this.#use(stream);
    try {
      return body();
    } finally {
      this.#use(before);
    }
  }

  #use(stream: number): void {
    this.#functions.setCurrentStream?.(stream, this.#index);
    this.#current = stream;
  }
}
