import { useCallback, useEffect, useReducer, useRef } from "preact/hooks";
import { saveFile } from "../parts/save-file.ts";
import { heartbeat, type Heartbeat } from "./heartbeat.ts";
import { firstState, nextState, type PageState } from "./state.ts";
import type { Command, Failure, WorkerMessage } from "./worker/messages.ts";
import type { PlaygroundSettings } from "./worker/settings.ts";

export interface SessionHandle {
  readonly state: PageState;
  send(command: Command): void;
  /** Drops the run: only another worker can change the device. */
  replace(settings: PlaygroundSettings): void;
  /** Opens another worker that resumes from the last save. */
  restart(): void;
  fail(during: Failure["during"], message: string): void;
  dismiss(): void;
}

const busyWith: Partial<Record<Command["type"], string>> = {
  open: "loading the team",
  reset: "starting a new run",
  ask: "asking the team",
  export: "packing the run",
  import: "opening the run",
};

interface Running {
  readonly worker: Worker;
  readonly beat: Heartbeat;
}

interface SessionOptions {
  readonly settings: PlaygroundSettings;
  readonly keep: boolean;
}

export function useSession({ settings: first, keep }: SessionOptions): SessionHandle {
  const [state, dispatch] = useReducer(nextState, first, firstState);
  const running = useRef<Running | null>(null);
  /** Last save, if only this page has it. */
  const copy = useRef<Uint8Array | null>(null);
  const latest = useRef(state);
  latest.current = state;
  const send = useCallback((command: Command): void => {
    const transfer = command.type === "import" ? [command.archive.buffer as ArrayBuffer] : [];
    running.current?.worker.postMessage(command, transfer);
    if (command.type === "ping" || command.type === "save") return;
    const { type } = command;
    dispatch({ type: "sent", busy: busyWith[type] ?? null, stopping: type === "pause", begins: type === "open" });
  }, []);
  const failed = useCallback(
    (during: Failure["during"], code: string, message: string): void =>
      dispatch({ type: "failed", failure: { during, code, message } }),
    [],
  );
  const end = useCallback((): void => {
    running.current?.beat.stop();
    running.current?.worker.terminate();
    running.current = null;
  }, []);
  const open = useCallback(
    (settings: PlaygroundSettings, fresh: boolean): void => {
      end();
      // Bundlers detect workers by this form.
      const worker = new Worker(new URL("./worker/training-worker.ts", import.meta.url), { type: "module" });
      const beat = heartbeat(
        () => worker.postMessage({ type: "ping" } satisfies Command),
        () => failed("start", "worker_silent", "The training worker has not answered for 20 seconds."),
      );
      running.current = { worker, beat };
      worker.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
        beat.received();
        if (data.type === "exported") {
          const archive = data.archive as Uint8Array<ArrayBuffer>;
          saveFile(new Blob([archive], { type: "application/zip" }), `${data.name}.zip`);
        }
        if (data.type === "saved") copy.current = data.archive;
        dispatch(data);
      });
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        end(); // later messages are not reliable
        const reason = event.message ? `: ${event.message}` : ", or could not be loaded";
        failed("start", "worker_ended", `The training worker ended${reason}.`);
      });
      worker.addEventListener("messageerror", () =>
        failed("start", "worker_ended", "The training worker sent an invalid message."),
      );
      send({ type: "open", settings, keep, fresh });
    },
    [keep, send, failed, end],
  );
  useEffect(() => {
    open(first, false);
    return end;
  }, [first, open, end]);
  useEffect(() => guardLeaving(latest, send, keep), [send, keep]);
  return {
    state,
    send,
    replace(settings) {
      copy.current = null;
      open(settings, true);
    },
    restart() {
      open(state.settings, false);
      const archive = copy.current;
      // Sends a copy, because transfers detach the buffer.
      if (archive && !state.keeping.isKept) send({ type: "import", archive: archive.slice() });
    },
    fail: (during, message) => failed(during, "page_failed", message),
    dismiss: () => dispatch({ type: "dismissed" }),
  };
}

/** The system may end a hidden tab. */
function guardLeaving(
  latest: { readonly current: PageState },
  send: (command: Command) => void,
  keep: boolean,
): () => void {
  const hidden = (): void => {
    if (document.visibilityState === "hidden" && latest.current.active) send({ type: "save" });
  };
  const leaving = (event: BeforeUnloadEvent): void => {
    const { keeping, step } = latest.current;
    if (keep && !keeping.isKept && step > 0) event.preventDefault();
  };
  document.addEventListener("visibilitychange", hidden);
  addEventListener("beforeunload", leaving);
  return () => {
    document.removeEventListener("visibilitychange", hidden);
    removeEventListener("beforeunload", leaving);
  };
}
