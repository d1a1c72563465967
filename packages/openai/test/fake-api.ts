import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { randomFromSeed, type CompletionRequest } from "@laconic/core";
import { onTestFinished } from "vitest";
import { openAiModel, type OpenAiModel, type OpenAiModelOptions } from "../src/index.ts";

export const canary = "sk-canary-0123456789abcdef";
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Record<string, unknown>,
  call: number,
) => void;

export async function server(
  handle: Handler,
): Promise<{ url: string; bodies: Record<string, unknown>[]; paths: string[] }> {
  const bodies: Record<string, unknown>[] = [];
  const paths: string[] = [];
  const http = createServer((request, response) => {
    void textOf(request).then((sent) => {
      const body = JSON.parse(sent) as Record<string, unknown>;
      paths.push(request.url ?? "");
      handle(request, response, body, bodies.push(body));
    });
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`, bodies, paths };
}

export const json = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void =>
  void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
export const answer = (text: string, extra: object = {}): object => ({
  choices: [{ finish_reason: "stop", message: { content: text } }],
  usage: { prompt_tokens: 7, completion_tokens: 2 },
  ...extra,
});
export const request = (extra: Partial<CompletionRequest> = {}): CompletionRequest => ({
  prompt: { kind: "messages", messages: [{ role: "user", content: "hi" }] },
  sampling: { temperature: 0, maxTokens: 8 },
  random: randomFromSeed(1).state(),
  ...extra,
});
export const model = (url: string, options: Partial<OpenAiModelOptions> = {}): OpenAiModel =>
  openAiModel({ model: "tiny", baseUrl: url, apiKey: canary, ...options });
