import { useCallback, useEffect, useReducer, useRef } from "preact/hooks";
import { firstState, nextState, type PageState } from "./state.ts";
import type { Command, Failure, Said } from "./worker/messages.ts";
import type { PlaygroundSettings } from "./worker/settings.ts";

export interface SessionHandle {
  readonly state: PageState;
  send(command: Command): void;
  /** Drops the run, ends the worker and opens another: the only way to another device. */
  replace(settings: PlaygroundSettings): void;
  /** Says what went wrong on the page itself. */
  fail(during: Failure["during"], message: string): void;
  dismiss(): void;
}

/** What a command is called while it is done. */
const busyWith: Partial<Record<Command["type"], string>> = {
  open: "loading the team",
  reset: "starting over",
  ask: "asking the team",
  export: "packing the run",
  import: "opening the run",
};

/** The worker of this page, and all that it said. */
export function useSession(first: PlaygroundSettings, keep: boolean): SessionHandle {
  const [state, dispatch] = useReducer(nextState, first, firstState);
  const worker = useRef<Worker | null>(null);
  const send = useCallback((command: Command): void => {
    const transfer = command.type === "import" ? [command.archive.buffer as ArrayBuffer] : [];
    worker.current?.postMessage(command, transfer);
    dispatch({ type: "sent", busy: busyWith[command.type] ?? null, stopping: command.type === "pause" });
  }, []);
  const fail = useCallback(
    (during: Failure["during"], message: string): void =>
      dispatch({ type: "failed", failure: { during, code: "page_failed", message } }),
    [],
  );
  const open = useCallback(
    (settings: PlaygroundSettings, fresh: boolean): void => {
      worker.current?.terminate();
      // Bundlers find workers by this very form.
      const started = new Worker(new URL("./worker/training-worker.ts", import.meta.url), { type: "module" });
      worker.current = started;
      const failed = (message: string): void => fail("start", message);
      started.addEventListener("message", ({ data }: MessageEvent<Said>) => {
        if (data.type === "exported") download(data.archive, `${data.name}.zip`);
        dispatch(data);
      });
      started.addEventListener("error", (event) => {
        event.preventDefault();
        failed(
          `The worker that trains the team ended${event.message ? `: ${event.message}` : ", or could not be loaded"}. Load the page again: a kept run goes on from its last save.`,
        );
      });
      started.addEventListener("messageerror", () =>
        failed("The worker said what this page cannot read. Load it again."),
      );
      send({ type: "open", settings, keep, fresh });
    },
    [keep, send, fail],
  );
  useEffect(() => {
    open(first, false);
    return () => worker.current?.terminate();
  }, [first, open]);
  return {
    state,
    send,
    replace: (settings) => open(settings, true),
    fail,
    dismiss: () => dispatch({ type: "dismissed" }),
  };
}

/** Hands a file to the visitor. */
function download(data: Uint8Array, name: string): void {
  const address = URL.createObjectURL(new Blob([data as Uint8Array<ArrayBuffer>], { type: "application/zip" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
