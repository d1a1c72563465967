import { recordedReplies } from "@laconic/core/testing";
import { expect, test } from "vitest";
import { answer, json, model, request, server } from "../test/fake-api.ts";
import { fromAiSdk, toAiSdk } from "./ai-sdk/index.ts";
import type { ApiEvent } from "./index.ts";
import { readReply } from "./server-reply.ts";

const read = recordedReplies.filter(({ wire }) => wire !== "generate");

test.each(read)("$wire, $server: reads $shape", async ({ wire, body, reading }) => {
  const { url, bodies } = await server((_, response) => json(response, 200, body));
  const prompt = wire === "chat" ? request().prompt : { kind: "text" as const, text: "2 + 2" };
  const tiny = model(url, { attempts: 1 });
  const ask = (): Promise<unknown> => tiny.complete(request({ prompt })).catch((error: unknown) => error);
  const isBroken = "error" in reading;
  const finishReason = isBroken ? null : reading.finishReason;
  const expected = isBroken ? { code: reading.error } : { text: reading.text, finishReason };
  expect(await ask()).toMatchObject(expected);
  expect(bodies).toHaveLength(1);
  expect(tiny.unknownEnds).toBe(finishReason === "unknown" ? 1 : 0);
  const reasoning = isBroken ? {} : { hidden: reading.reasoning };
  expect(readReply(body, wire === "chat" ? "chat" : "text")).toMatchObject(reasoning);
  // The usage survives the AI SDK's format.
  const throughSdk = fromAiSdk(toAiSdk({ id: "tiny", complete: () => tiny.complete(request({ prompt })) }), {
    attempts: 1,
  });
  const again = await throughSdk.complete(request()).catch((error: unknown) => error);
  expect(again).toMatchObject(isBroken ? { code: reading.error } : expected);
});

test.each([
  { code: "content_filter", innererror: { code: "ResponsibleAIPolicyViolation" }, status: 400 },
  { code: "content_policy_violation", type: "invalid_request_error" },
])("an error of status 400 that names a filter is a refusal: %j", async (error) => {
  const { url, bodies } = await server((_, response) => json(response, 400, { error: { message: "no", ...error } }));
  expect(await model(url).complete(request())).toMatchObject({ text: "", finishReason: "refusal" });
  expect(bodies).toHaveLength(1);
});

test("a body may begin with a byte order mark", async () => {
  const { url } = await server(
    (_, response) => void response.writeHead(200).end(`\ufeff${JSON.stringify(answer("4"))}`),
  );
  expect((await model(url).complete(request())).text).toBe("4");
});

test("reports and counts replies with an unknown end", async () => {
  const events: ApiEvent[] = [];
  const { url } = await server((_, response, __, call) =>
    json(response, 200, {
      choices: [{ message: { content: "4" }, finish_reason: call < 3 ? "tired\u001b[2J" : "stop" }],
    }),
  );
  const tiny = model(url, { onEvent: (event) => events.push(event) });
  for (const finishReason of ["unknown", "unknown", "stop"])
    expect(await tiny.complete(request())).toMatchObject({ text: "4", finishReason });
  expect([tiny.unknownEnds, events]).toEqual([2, [{ kind: "end-unknown", reason: String.raw`"tired\u001b[2J"` }]]);
});
