const text = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"`;
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const object = String.raw`\{${text}:${number}\}`;
const topLogProbs = new RegExp(String.raw`"top_logprobs":\[${object}(?:,${object})*\]`);
const echo = '"prompt_token_ids":';

/**
 * JSON of the fields and, last, the prompt. Writing its numbers takes half the time of `JSON.stringify`. Bytes are
 * outside of V8's heap, because thousands of bodies may wait for their replies.
 */
export function promptBody(fields: object, promptTokens: readonly number[]): Buffer<ArrayBuffer> {
  const head = Buffer.from(`${JSON.stringify(fields).slice(0, -1)},"prompt":`);
  const bytes = Buffer.allocUnsafe(head.length + 11 * promptTokens.length + 2);
  let start = bytes.length - 2;
  bytes.write("]}", start);
  for (let i = promptTokens.length - 1; i >= 0; i--) {
    let rest = promptTokens[i]!;
    do {
      const tenth = (rest / 10) | 0;
      bytes[--start] = 48 + rest - 10 * tenth;
      rest = tenth;
    } while (rest > 0);
    bytes[--start] = 44;
  }
  bytes.write("[", start);
  start -= head.copy(bytes, start - head.length);
  return Buffer.from(bytes.subarray(start));
}

/**
 * Decodes vLLM's reply, with null for values that are not read and slow to parse: `top_logprobs`, and the
 * prompt's echo if it equals the prompt of `body`. Valid JSON stays valid, and invalid JSON invalid.
 */
export function withoutUnread(bytes: Uint8Array, body: Buffer): string {
  const reply = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const prompt = body.subarray(body.lastIndexOf("["), -1);
  const start = reply.indexOf(`${echo}[`) + echo.length;
  const end = start + prompt.length;
  const isEqual = start >= echo.length && reply.subarray(start, end).equals(prompt);
  const short = isEqual ? `${reply.toString("utf8", 0, start)}null${reply.toString("utf8", end)}` : reply.toString();
  return short.replace(topLogProbs, '"top_logprobs":null');
}
