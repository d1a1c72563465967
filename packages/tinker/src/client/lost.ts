import { LaconicError } from "@laconic/core";

/** How servers say that they have no such model or sampler, of which the protocol has no code. */
const gone = /not loaded|not found|unknown (?:model|sampler|session)|no such|does not exist/iu;

/**
 * The error of a request to a server that has forgotten what it is about, as after a restart with an empty memory: named as
 * that, so that nobody takes it for a request that was wrong. Null for any other.
 *
 * @param what - `model`, `sampler` or `session`, with its id
 */
export function lostError(what: string, error: unknown): LaconicError | null {
  if (!LaconicError.is(error)) return null;
  const { code, message } = error;
  if (code !== "api_refused" || !gone.test(message)) return null;
  return new LaconicError(
    "engine_failed",
    `the server no longer has ${what} (${message}): it was restarted, or the session was silent for too long; go on from the last checkpoint`,
    { outcome: "lost" },
    error,
  );
}
