import { parentPort, workerData } from "node:worker_threads";
import { thrownText } from "@laconic/core";
import { folderData, type FolderDataOptions } from "./folder-data.ts";
import { ReadingMark } from "./reading-mark.ts";
import type { FromThread, ThreadStart, ToThread } from "./data-thread.ts";

/** Answers what the other thread asks of run folders. Called by the thread's entry. */
export async function serve(): Promise<void> {
  const { folders, mayCome, maxBytes, mark, setAside } = workerData as ThreadStart;
  const port = parentPort;
  if (!port) throw new Error("this is no thread");
  const say = (message: FromThread): void => port.postMessage(message);
  const options: FolderDataOptions = {
    folders,
    mayCome: mayCome === true,
    mark: new ReadingMark(mark),
    setAside,
    ...(maxBytes !== undefined && { maxBytes }),
    onError: (error) => say({ kind: "failure", message: thrownText(error) }),
  };
  const data = await folderData(options).catch((error: unknown) => thrownText(error));
  if (typeof data === "string") return say({ kind: "ready", refusal: data });
  let stop: (() => void) | null = null;
  port.on("message", (message: ToThread) => {
    if (message.kind === "listen") stop ??= data.listen((event) => say({ kind: "event", event }));
    if (message.kind === "silence") {
      stop?.();
      stop = null;
    }
    if (message.kind === "ask") {
      const { number, method, words } = message;
      const ask = data[method] as (...args: readonly unknown[]) => Promise<unknown>;
      // What cannot be sent is an error of who asked, too.
      ask
        .apply(data, words as unknown[])
        .then((value) => say({ kind: "answer", number, value }))
        .catch((error: unknown) => say({ kind: "answer", number, error: thrownText(error) }));
    }
  });
  say({ kind: "ready" });
}
