import type { ServerResponse } from "node:http";
import type { Seen } from "@laconic/hub/testing";
import { vi } from "vitest";

/** Sends bytes and breaks the connection once all of them are on disk. */
export function breakOffAfter(
  bytes: Uint8Array,
  from: number,
  to: number,
  arrived: (bytes: number) => Promise<boolean>,
): (seen: Seen, response: ServerResponse) => void {
  return ({ range }, response) => {
    response.writeHead(range ? 206 : 200, {
      "content-length": bytes.length - from,
      ...(range && { "content-range": `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
    });
    response.write(bytes.subarray(from, to));
    void vi
      .waitUntil(() => arrived(to).catch(() => false), { timeout: 10_000, interval: 5 })
      .finally(() => response.destroy());
  };
}
