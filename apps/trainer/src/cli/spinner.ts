import { formatDuration } from "@laconic/core/text";

/** Where a line moves while somebody looks, and plain lines go elsewhere. */
export interface StatusLine {
  readonly interactive: boolean;
  note(line: string): void;
  /** Replaces the line before; does nothing where nobody looks. */
  status(line: string): void;
}

/** Something that takes a while. */
export interface Spinner {
  /** It is over: nothing more is said of it. */
  done(): void;
}

/** From when on somebody wonders, in milliseconds; and how often a terminal is told again. */
const patience = 1000;

/**
 * Says what is being done when it takes more than a second: on a terminal in the moving line, with the seconds that have gone by,
 * elsewhere as one line. What is over sooner says nothing.
 */
export function spinner(terminal: StatusLine, text: string): Spinner {
  let seconds = 0;
  let ticks: NodeJS.Timeout | null = null;
  const first = setTimeout(() => {
    if (!terminal.interactive) return terminal.note(`${text} ...`);
    const tick = (): void => terminal.status(`${text}, ${formatDuration((seconds += patience / 1000))}`);
    tick();
    ticks = setInterval(tick, patience).unref();
  }, patience).unref();
  return {
    done() {
      clearTimeout(first);
      if (ticks === null) return;
      clearInterval(ticks);
      ticks = null;
      terminal.status("");
    },
  };
}

/** The same around one piece of work. */
export async function spinWhile<T>(terminal: StatusLine, text: string, work: () => Promise<T>): Promise<T> {
  const said = spinner(terminal, text);
  try {
    return await work();
  } finally {
    said.done();
  }
}
