import { useCallback, useEffect, useReducer, useRef } from "preact/hooks";
import { saveFile } from "../parts/save-file.ts";
import { firstState, nextState } from "./state.ts";
import type { Command, WorkerMessage } from "./worker/messages.ts";
import type { PlaygroundSettings } from "./worker/settings.ts";

export type SessionHandle = ReturnType<typeof useSession>;

const busyWith: Partial<Record<Command["type"], string>> = {
  open: "loading the team",
  reset: "starting a new run",
  ask: "asking the team",
  export: "packing the run",
};

/** @param asksToLeave - whether the page asks before it closes, because only it has the run */
export function useSession(first: PlaygroundSettings, asksToLeave: boolean) {
  const [state, dispatch] = useReducer(nextState, first, firstState);
  const running = useRef<Worker | null>(null);
  const send = useCallback((command: Command): void => {
    running.current?.postMessage(command);
    const { type } = command;
    dispatch({ type: "sent", busy: busyWith[type] ?? null, stopping: type === "pause" });
  }, []);
  const ended = useCallback(
    (message: string): void => dispatch({ type: "failed", failure: { code: "worker_ended", message } }),
    [],
  );
  const open = useCallback(
    (settings: PlaygroundSettings): void => {
      running.current?.terminate();
      // Bundlers detect workers by this form.
      const worker = new Worker(new URL("./worker/training-worker.ts", import.meta.url), { type: "module" });
      running.current = worker;
      worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
        if (data.type === "exported") {
          const archive = data.archive as Uint8Array<ArrayBuffer>;
          saveFile(new Blob([archive], { type: "application/zip" }), `${data.name}.zip`);
        }
        dispatch(data);
      });
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        worker.terminate(); // later messages are not reliable
        const reason = event.message ? `: ${event.message}` : ", or could not be loaded";
        ended(`The training worker ended${reason}.`);
      });
      worker.addEventListener("messageerror", () => ended("The training worker sent an invalid message."));
      send({ type: "open", settings });
    },
    [send, ended],
  );
  useEffect(() => {
    open(first);
    return () => running.current?.terminate();
  }, [first, open]);
  const isAsking = asksToLeave && state.step > 0;
  useEffect(() => {
    if (!isAsking) return undefined;
    const leaving = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener("beforeunload", leaving);
    return () => removeEventListener("beforeunload", leaving);
  }, [isAsking]);
  return {
    state,
    send,
    /** Drops the run: only another worker can change the device. */
    replace: open,
    dismiss: () => dispatch({ type: "dismissed" }),
  };
}
