import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ServedRequest {
  readonly text: string;
  readonly model: string;
  readonly key: string;
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly maxTokens: number;
  readonly temperature: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Text with its token counts. A text alone has a token for four bytes. */
type Reply = string | { readonly text: string; readonly promptTokens: number; readonly completionTokens: number };

/** OpenAI-compatible server that records requests. @param reply - null refuses the request */
export async function recordingServer(
  reply: (request: ServedRequest, nth: number) => Reply | null | Promise<Reply>,
): Promise<{ readonly url: string; readonly served: ServedRequest[] }> {
  const served: ServedRequest[] = [];
  let nth = 0;
  const tokens = (text: string): number => Math.ceil(text.length / 4);
  const http = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    const answer = async (): Promise<void> => {
      const sent = Buffer.concat(pieces).toString();
      const body = JSON.parse(sent) as {
        model: string;
        messages: ServedRequest["messages"];
        max_tokens: number;
        temperature: number;
      };
      const asked: ServedRequest = {
        text: sent,
        model: body.model,
        key: request.headers.authorization ?? "",
        system: body.messages.find(({ role }) => role === "system")?.content ?? "",
        messages: body.messages,
        maxTokens: body.max_tokens,
        temperature: body.temperature,
        promptTokens: tokens(body.messages.map(({ content }) => content).join("\n")),
        completionTokens: 0,
      };
      const replied = await reply(asked, nth++);
      response.setHeader("content-type", "application/json");
      if (replied === null) {
        response.writeHead(400).end(JSON.stringify({ error: { message: "no" } }));
        return;
      }
      const { promptTokens } = asked;
      const { text, ...counts } =
        typeof replied === "string" ? { text: replied, promptTokens, completionTokens: tokens(replied) } : replied;
      served.push({ ...asked, ...counts });
      response.writeHead(200).end(
        JSON.stringify({
          choices: [{ finish_reason: "stop", message: { content: text } }],
          usage: { prompt_tokens: counts.promptTokens, completion_tokens: counts.completionTokens },
        }),
      );
    };
    request.on("end", () => void answer());
  }).listen(0, "127.0.0.1");
  await once(http, "listening");
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`, served };
}
