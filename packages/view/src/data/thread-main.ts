import { parentPort, workerData } from "node:worker_threads";
import { thrownText } from "@laconic/core";
import type { FromThread, ThreadSetup, ToThread } from "./data-thread.ts";
import { folderData } from "./folder-data.ts";

/** Answers the requests of the main thread. Called by the thread's entry. */
export async function serve(): Promise<void> {
  const { folders, mayCome, maxBytes } = workerData as ThreadSetup;
  const port = parentPort;
  if (!port) throw new Error("this is no thread");
  const post = (message: FromThread): void => port.postMessage(message);
  const data = await folderData({
    folders,
    mayCome: mayCome === true,
    ...(maxBytes !== undefined && { maxBytes }),
    onError: (error) => post({ kind: "failure", message: thrownText(error) }),
  }).catch((error: unknown) => thrownText(error));
  if (typeof data === "string") return post({ kind: "ready", refusal: data });
  let stop: (() => void) | null = null;
  port.on("message", (message: ToThread) => {
    if (message.kind === "listen") stop ??= data.listen((event) => post({ kind: "event", event }));
    else if (message.kind === "silence") {
      stop?.();
      stop = null;
    } else {
      const { number, method, args } = message;
      const ask = data[method] as (...args: readonly unknown[]) => Promise<unknown>;
      // A value that cannot be posted is an error of the request, too.
      ask
        .apply(data, args as unknown[])
        .then((value) => post({ kind: "answer", number, value }))
        .catch((error: unknown) => post({ kind: "answer", number, error: thrownText(error) }));
    }
  });
  post({ kind: "ready" });
}
