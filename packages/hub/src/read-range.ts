import { inputError, type LaconicError } from "@laconic/core";
import { startOf, type HubConnection } from "./hub-connection.ts";
import type { RepositoryFile } from "./repository.ts";

/** Max bytes of one read. */
const longestRange = 1 << 28;

/**
 * Reads bytes from `start` up to `end`, with resume.
 * @throws LaconicError `input_invalid` for a range outside the file or above 256 MiB, `hub_unavailable` for another
 * range or file size, `aborted`
 */
export async function readRange(
  hub: HubConnection,
  file: RepositoryFile,
  start: number,
  end: number,
): Promise<Uint8Array> {
  const { name, bytes } = file;
  if (!(start >= 0 && start <= end && end <= bytes) || end - start > longestRange)
    throw inputError(`${name}: cannot read bytes ${start} to ${end} of ${bytes} at once`, { file: name });
  const read = new Uint8Array(end - start);
  const fail = (reason: string): LaconicError => hub.unavailable(reason, name);
  let position = 0;
  const range = (): string => `bytes=${start + position}-${end - 1}`;
  await hub.transfer(file, {
    get position() {
      return position;
    },
    end: read.length,
    range,
    begin(response) {
      if (response.status === 200) throw fail("byte ranges are not supported; read without rows to download it");
      if (startOf(response, bytes) !== start + position) throw fail(answeredInstead(response, range(), bytes));
    },
    add(piece) {
      if (position + piece.length > read.length) throw fail(`received more bytes than requested (${range()})`);
      read.set(piece, position);
      position += piece.length;
    },
  });
  return read;
}

/** Headers are untrusted; only numbers are used. */
function answeredInstead({ status, headers }: Response, range: string, bytes: number): string {
  const [, from, to, size] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/u.exec(headers.get("content-range") ?? "") ?? [];
  const answer = from === undefined ? `status ${status} without a range` : `bytes ${from}-${to} of ${size}`;
  return `requested ${range} of ${bytes} bytes, received ${answer}`;
}
