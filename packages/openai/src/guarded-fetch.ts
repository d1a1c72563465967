/** A reply that came, and is no JSON. */
export class DamagedReply extends Error {
  /** The beginning of what came. */
  readonly body: string;

  constructor(message: string, body: string) {
    super(message);
    this.name = "DamagedReply";
    this.body = body.slice(0, 500);
  }
}

export interface FetchLimits {
  /** Bytes of a body. */
  readonly bodyBytes: number;
  /** Milliseconds without a byte. */
  readonly idleMs: number;
}

/**
 * `fetch` for an API that may misbehave: no redirect is followed, because it would carry the key, and the text of an error
 * is read within limits. A success is left for `readReplyBody`.
 */
export function guardedFetch(limits: FetchLimits, plain: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await plain(input, { ...init, redirect: "error" });
    if (response.ok) return response;
    const { status, statusText, headers } = response;
    return new Response(await readText(response, limits), { status, statusText, headers });
  };
}

/**
 * The object in a success.
 * @throws DamagedReply for anything else, and beyond the limits
 */
export async function readReplyBody(response: Response, limits: FetchLimits): Promise<object> {
  const body = await readText(response, limits);
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "object" && value !== null) return value;
  } catch (error) {
    throw new DamagedReply(`a success without JSON (${(error as Error).message})`, body);
  }
  throw new DamagedReply("a success that is no object", body);
}

async function readText(response: Response, { bodyBytes, idleMs }: FetchLimits): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const pieces: Uint8Array[] = [];
  let size = 0;
  let silent = false;
  const timer = setTimeout(() => {
    silent = true;
    void reader.cancel().catch(() => undefined);
  }, idleMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (silent) throw new DamagedReply(`no byte for ${idleMs} ms`, text(pieces));
      if (done) return text(pieces);
      timer.refresh();
      pieces.push(value);
      size += value.length;
      if (size > bodyBytes) throw new DamagedReply(`a body of more than ${bodyBytes} bytes`, text(pieces.slice(0, 1)));
    }
  } catch (error) {
    void reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function text(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString();
}
