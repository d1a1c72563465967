const text = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"`;
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`;
const object = String.raw`\{${text}:${number}\}`;
const topLogProbs = new RegExp(String.raw`"top_logprobs":\[${object}(?:,${object})*\]`);
const echo = '"prompt_token_ids":';

/**
 * Replaces values of vLLM's reply that are not read by null, because `JSON.parse` takes long for them: `top_logprobs`,
 * and the echo of the prompt if it equals `prompt`, a JSON list. Valid JSON stays valid, and invalid JSON invalid.
 */
export function withoutUnread(json: string, prompt: string): string {
  const start = json.indexOf(echo) + echo.length;
  const end = start + prompt.length;
  const isEqual = json.startsWith(echo, start - echo.length) && json.slice(start, end) === prompt;
  const short = isEqual ? `${json.slice(0, start)}null${json.slice(end)}` : json;
  return short.replace(topLogProbs, '"top_logprobs":null');
}
