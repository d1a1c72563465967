import { LaconicError } from "@laconic/core";
import { bodyOf, startOf } from "./download-content.ts";
import { failureWords, throwIfStopped, unavailable, type HubConnection } from "./hub-connection.ts";
import type { RepositoryFile } from "./repository.ts";

/** Of one read, which is held in memory. */
const longestRange = 1 << 28;

/**
 * Bytes of a file from `start` up to `end`, taken up where a transfer breaks off.
 * @throws LaconicError `input_invalid` for a range outside of the file or of more than 256 MiB, `hub_unavailable` for a server without
 * ranges, one whose file has another size, or one that gives other bytes than those asked for, `aborted`
 */
export async function readRange(
  { name, bytes }: RepositoryFile,
  start: number,
  end: number,
  {
    hub,
    path,
    signal,
  }: { readonly hub: HubConnection; readonly path: string; readonly signal: AbortSignal | undefined },
): Promise<Uint8Array> {
  if (!(start >= 0 && start <= end && end <= bytes) || end - start > longestRange)
    throw new LaconicError("input_invalid", `${name}: bytes ${start} to ${end} of ${bytes} cannot be read at once`, {
      file: name,
    });
  const read = new Uint8Array(end - start);
  let at = 0;
  for (let failures = 0; at < read.length;) {
    const before = at;
    const range = `bytes=${start + at}-${end - 1}`;
    const response = await hub.stream(path, { "accept-encoding": "identity", range });
    let reason = "too few bytes";
    try {
      if (response.status === 200)
        throw unavailable(hub.server, name, "it gives whole files only; read it without rows to download it");
      if (startOf(response, bytes) !== start + at)
        throw unavailable(hub.server, name, answeredInstead(response, range, bytes));
      for await (const piece of bodyOf(response)) {
        if (at + piece.length > read.length)
          throw unavailable(hub.server, name, `it gives more bytes than were asked for (${range})`);
        read.set(piece, at);
        at += piece.length;
      }
    } catch (error) {
      await response.body?.cancel().catch(() => undefined);
      throwIfStopped(signal);
      if (LaconicError.is(error)) throw error;
      reason = failureWords(error);
    }
    if (at === read.length) break;
    if (at > before) failures = 0;
    await hub.pause(failures++, `the transfer of ${name} broke off (${reason})`);
  }
  return read;
}

/** A header is a stranger's text: only numbers are taken from it. */
function answeredInstead({ status, headers }: Response, range: string, bytes: number): string {
  const [, from, to, of] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/u.exec(headers.get("content-range") ?? "") ?? [];
  const said = from === undefined ? `${status} without a range` : `bytes ${from}-${to} of ${of}`;
  return `it was asked for ${range} of ${bytes} bytes and answered with ${said}`;
}
