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
 * `fetch` for an API that may misbehave: bodies are read within limits, a success has to be JSON, and no redirect is
 * followed, because it would carry the key.
 */
export function guardedFetch({ bodyBytes, idleMs }: FetchLimits, plain: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await plain(input, { ...init, redirect: "error" });
    const body = await readBody(response, bodyBytes, idleMs);
    if (response.ok) {
      try {
        const value: unknown = JSON.parse(body);
        if (typeof value !== "object" || value === null) throw new SyntaxError("not an object");
      } catch (error) {
        throw new DamagedReply(`a success without JSON (${(error as Error).message})`, body);
      }
    }
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

async function readBody(response: Response, most: number, idleMs: number): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return "";
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new DamagedReply(`no byte for ${idleMs} ms`, text(pieces))), idleMs);
    });
    try {
      const { done, value } = await Promise.race([reader.read(), silence]);
      if (done) return text(pieces);
      pieces.push(value);
      size += value.length;
      if (size > most) throw new DamagedReply(`a body of more than ${most} bytes`, text(pieces.slice(0, 1)));
    } catch (error) {
      void reader.cancel().catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function text(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString();
}
