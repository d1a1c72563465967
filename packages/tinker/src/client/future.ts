import { type ErrorDetail, LaconicError } from "@laconic/core";
import type { z } from "zod";
import { replies, type EarlyReply } from "../wire/replies.ts";
import { abortError, type HttpFailure, type Repeat, type Transport } from "./transport.ts";

const [held, expired] = [{}, {}];

/**
 * Waits for a promised result. The deadline is local, because a server may answer "not ready" forever.
 * @throws LaconicError `api_refused`, or `api_unavailable` with `outcome` = `expired` if the server forgot the
 * promise
 */
export async function awaitFuture<S extends z.ZodType>(
  transport: Transport,
  { path, requestId }: { readonly path: string; readonly requestId: string },
  schema: S,
  signal?: AbortSignal,
): Promise<z.output<S>> {
  const { clock, deadlineMs } = transport;
  const end = clock.nowMs() + deadlineMs;
  const unavailable = (reason: string, detail: ErrorDetail): LaconicError =>
    new LaconicError("api_unavailable", `${transport.place(path)}: ${reason}`, { path, ...detail });
  let metadataOnly = true;
  for (let quick = 0; ;) {
    const asked = { request_id: requestId, allow_metadata_only: metadataOnly };
    const began = clock.nowMs();
    const value = await transport.send("retrieve_future", asked, "always", signal, turnOf, path);
    if (value === expired) throw unavailable(`request ${requestId} expired on the server`, { outcome: "expired" });
    const early = replies.early.safeParse(value);
    if (value !== held && !early.success) return transport.read(path, schema, value);
    if (early.success && "error" in early.data) throw failed(transport.place(path), early.data, path);
    if (early.success && "status" in early.data) {
      metadataOnly = false;
      continue;
    }
    if (clock.nowMs() >= end)
      throw unavailable(`no result within ${deadlineMs} ms`, { deadlineMs, outcome: "unknown" });
    // If the server does not hold the poll open, polls slow down.
    if (clock.nowMs() - began < 1000)
      await clock.sleep(Math.min(1000, 10 * 2 ** Math.min(quick++, 7)), signal).catch(() => undefined);
    if (signal?.aborted) throw abortError(path);
  }
}

export async function future<S extends z.ZodType>(
  transport: Transport,
  path: string,
  body: object,
  schema: S,
  repeat: Repeat,
  signal?: AbortSignal,
): Promise<z.output<S>> {
  const { request_id: requestId } = await transport.exchange(path, body, replies.promise, repeat, signal);
  return awaitFuture(transport, { path, requestId }, schema, signal);
}

function failed(place: string, reply: Extract<EarlyReply, { readonly error: string }>, path: string): LaconicError {
  return new LaconicError("api_refused", `${place}: ${reply.error.slice(0, 300)}`, {
    path,
    category: reply.category ?? "unknown",
  });
}

function turnOf(failure: HttpFailure | "late"): object | null {
  if (failure === "late" || failure.status === 408) return held;
  return [404, 410].includes(failure.status) ? expired : null;
}

/** Messages for an unknown model or sampler; the protocol has no code for it. */
const gone = /not loaded|not found|unknown (?:model|sampler|session)|no such|does not exist/iu;

/** Error of a request whose model, sampler or session the server forgot; null for other errors. */
export function lostError({ base }: Transport, what: string, error: unknown): LaconicError | null {
  if (!LaconicError.is(error)) return null;
  const { code, message } = error;
  if (code !== "api_refused" || !gone.test(message)) return null;
  return new LaconicError(
    "engine_failed",
    `${base}: the server lost ${what} (${message}) after a restart or session timeout; resume from the last checkpoint`,
    { outcome: "lost" },
    error,
  );
}
