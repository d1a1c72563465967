import { keyOf, namesOf } from "./recognition.ts";
import { isModelCall } from "./read-request.ts";
import { noReply, type Recorder } from "./recorder.ts";

/**
 * Wraps `fetch` for clients in this process, such as the AI SDK's providers or `new OpenAI({ fetch })`. The reply
 * reaches the caller while a copy is read.
 * @param names - agent and task of the calls; headers `x-laconic-agent` and `x-laconic-task` set them per call
 */
export function meteredFetch(
  recorder: Recorder,
  names: { readonly agent?: string; readonly task?: string } = {},
  plain: typeof fetch = fetch,
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    if (!isModelCall(request.method, pathname)) return plain(request);
    const headers = Object.fromEntries(request.headers);
    const body = await request.clone().text();
    const named = { "x-laconic-agent": names.agent, "x-laconic-task": names.task, ...headers };
    const call = recorder.begin(body, pathname, namesOf(named, pathname).names, keyOf(headers));
    request.headers.delete("x-laconic-agent");
    request.headers.delete("x-laconic-task");
    const started = performance.now();
    const response = await plain(request).catch((error: unknown) => {
      call?.end(noReply);
      throw error;
    });
    if (!call) return response;
    const ending = { status: response.status, encoding: "", firstMilliseconds: performance.now() - started };
    // `fetch` has already decoded the body.
    void new Response(response.clone().body).arrayBuffer().then(
      (bytes) => call.end({ ...ending, body: new Uint8Array(bytes), isCut: false }),
      () => call.end({ ...noReply, ...ending }),
    );
    return response;
  };
}
