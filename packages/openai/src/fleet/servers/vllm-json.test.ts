import { randomFromSeed, type Random } from "@laconic/core";
import { expect, test, vi } from "vitest";
import { promptBody, withoutUnread } from "./vllm-json.ts";
import { vllmServer } from "./vllm.ts";

const list = "[11,2,345]";
const replyTo = (prompt: string): string =>
  String.raw`{"model":"w","choices":[{"text":"a \"prompt_token_ids\":[11,2,345]","finish_reason":"length","logprobs":{"token_logprobs":[-0.5,-2e-7],"top_logprobs":[{"q\"\\\n":-0.5},{"\u00e9":-2e-7}]},"token_ids":[5,6],"prompt_token_ids":${prompt}}]}`;
const characters = '"\\,:[]{} 01-.e\u0001'.split("");
const pieces = [...characters, list, `"prompt_token_ids":${list},`, '"top_logprobs":[{"a":1}]{"b":1}],'];

/** Deletes, repeats or inserts characters at one place. */
function damaged(json: string, random: Random): string {
  const start = random.integer(json.length);
  const end = Math.min(json.length, start + random.integer(30));
  const inserted = [...pieces, json.slice(start, end)][random.integer(pieces.length + 1)];
  return `${json.slice(0, start)}${inserted}${json.slice(random.integer(2) === 0 ? start : end)}`;
}

/** Values that are read; undefined for invalid JSON. */
function parsed(json: string): unknown {
  const isUnread = (key: string, value: unknown): boolean =>
    key.endsWith("top_logprobs") || (key.endsWith("prompt_token_ids") && JSON.stringify(value) === list);
  try {
    return JSON.parse(json, (key, value: unknown) => (isUnread(key, value) ? null : value));
  } catch {
    return undefined;
  }
}

test("a shortened reply has the same values, and is invalid with the whole one", () => {
  const random = randomFromSeed("damage");
  let shortened = 0;
  for (let i = 0; i < 4000; i++) {
    let json = replyTo(list);
    for (let n = 1 + random.integer(3); n > 0; n--) json = damaged(json, random);
    const short = withoutUnread(Buffer.from(json), Buffer.from(`{"prompt":${list}}`));
    expect(parsed(short), json).toEqual(parsed(json));
    if (short !== json && parsed(json) !== undefined) shortened += 1;
  }
  expect(shortened).toBeGreaterThan(200);
});

test("a body has all digits of a prompt", () => {
  const tokens = [0, 9, 10, 109, 150_000, 2 ** 31 - 1];
  for (const prompt of [tokens, tokens.slice(0, 1)])
    expect(JSON.parse(promptBody({ stop: ["é"] }, prompt).toString())).toEqual({ stop: ["é"], prompt });
});

test("an equal echo of a prompt is not parsed, and another one is read", async () => {
  const parse = vi.spyOn(JSON, "parse");
  const weights = { name: "w", version: 1, folder: "/w", path: "/w", kind: "adapter" } as const;
  const promptTokens = Array.from({ length: 5000 }, (_, i) => i);
  const asked = { promptTokens, sampling: { temperature: 1, maxTokens: 2 }, stopTokens: [], stopTexts: [], seed: 0 };
  const fetch = async (): Promise<Response> => new Response(replyTo(JSON.stringify(promptTokens)));
  const server = vllmServer({ url: "http://127.0.0.1:8000", fetch });
  expect(await server.generate(weights, asked)).toMatchObject({ prompt: 5000, tokens: [5, 6] });
  expect(Math.max(...parse.mock.calls.map(([json]) => json.length))).toBeLessThan(replyTo("").length);
  parse.mockRestore();
  const other = { ...asked, promptTokens: promptTokens.with(3, 99) };
  expect(await server.generate(weights, other)).toMatchObject({ prompt: promptTokens });
});
