import { once } from "node:events";
import { request as ask } from "node:http";
import { expect, test } from "vitest";
import { scripted, startGateway, type TinyGateway } from "./tiny-gateway.ts";

const models = { scout: scripted(() => "ok"), solver: scripted(() => "no") };
const messages = [{ role: "user", content: "say" }];
const chat = { model: "scout", messages };

async function started(change: Parameters<typeof startGateway>[0] = {}): Promise<TinyGateway> {
  const tiny = await startGateway(change);
  void tiny.gateway.take({ step: 0, models });
  return tiny;
}

const chats = "/v1/rollouts/a/chat/completions";

test.each([
  ["no rollout", "/v1/chat/completions", chat, 400, "rollout"],
  ["an id that climbs", "/v1/rollouts/..%2f..%2fetc/chat/completions", chat, 400, "rollout"],
  ["an id of markup", "/v1/rollouts/%3Cscript%3E/chat/completions", chat, 400, "rollout"],
  ["an id that is too long", `/v1/rollouts/${"a".repeat(129)}/chat/completions`, chat, 400, "rollout"],
  ["an id with a zero", "/v1/rollouts/a%00b/chat/completions", chat, 400, "rollout"],
  ["two ids", chats, { ...chat, user: "rollout:b" }, 400, "rollout"],
  ["metadata that is no map", chats, { ...chat, metadata: [1] }, 400, "metadata"],
  ["an agent that every object has", chats, { ...chat, model: "constructor" }, 404, "model"],
  ["several replies", chats, { ...chat, n: 2 }, 400, "n"],
  ["several prompts", "/v1/rollouts/a/completions", { model: "scout", prompt: ["x", "y"] }, 400, "n"],
  ["an unknown parameter", chats, { ...chat, magic: 1 }, 400, "magic"],
  ["a tool that must be called", chats, { ...chat, tool_choice: "required" }, 400, "tool_choice"],
  ["pictures", chats, { ...chat, messages: [{ role: "user", content: [{ type: "image_url" }] }] }, 400, null],
  ["no messages", chats, { model: "scout", messages: [] }, 400, "messages"],
  ["no object", chats, "[]", 400, null],
  ["no JSON", chats, "{", 400, null],
  ["nested JSON", chats, `{"model":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, 400, null],
  ["a body over the limit", chats, { ...chat, user: "x".repeat(100_000) }, 413, null],
  ["another action", "/rollouts/a/delete", {}, 404, null],
  ["a reward of nobody", "/rollouts/unknown/reward", { reward: 1, group: "g" }, 404, null],
] as const)("rejects %s in OpenAI's error format", async (_, path, body, status, parameter) => {
  const tiny = await started();
  const answer = await tiny.post(path, body);
  expect(answer.status).toBe(status);
  expect(answer.body.error).toMatchObject({ message: expect.any(String), type: "invalid_request_error" });
  expect(parameter === null || answer.body.error.param === parameter).toBe(true);
  expect(tiny.errors).toEqual([]); // nothing of it is the server's failure
});

test.each([
  [{ reward: "1" }, 'reward: it must be a number, not "1"; or it must be a group of values, not "1"'],
  [{ reward: [1] }, "reward: it must be a number, not a list; or it must be a group of values, not a list"],
  [{ reward: { task: "1" } }, 'reward.task: it must be a number, not "1"'],
  [{ reward: { form: null } }, "reward.form: it must be a number, not null"],
  [{ reward: 1e12 }, "reward: it must be a number up to 1000000000, not 1000000000000"],
  [{ reward: { "<b>": 1 } }, "reward: <b>: expected a name of up to 64 letters, digits and . _ : / -"],
  [
    { reward: 1, agents: { scout: true } },
    "agents.scout: it must be a number, not true; or it must be a group of values, not true",
  ],
  [{ reward: 1, agents: { scout: { own: {} } } }, "agents.scout.own: it must be a number, not an object"],
  [{ reward: 1, answer: 7 }, "answer: it must be a text, not 7"],
  [{ reward: 1, group: 7 }, "group: it must be a text, not 7"],
  [{}, 'the body has no reward; send {"reward": 1}, or rewards by agent in agents', "reward"],
  [{ reward: { task: 2 } }, "reward: expected a grade from 0 to 1 for the term task, got 2"],
  ['{"reward": {"__proto__": 1}}', /^reward/u],
  [{ reward: 1, agents: { stranger: 1 } }, "agents: agent stranger not found; available: scout, solver"],
  [{ reward: 1, group: undefined }, /^the rollout has no group/u, "group"],
  [{ reward: 1, group: "../x" }, /^group: expected 1 to 128 letters/u],
  [{ reward: 1, answer: "x".repeat(70_000) }, /^answer: /u],
  [{ rewards: 1 }, "the body: unknown setting rewards; did you mean reward?", "rewards"],
  [
    { reward: 1, extra: 1 },
    "the body: unknown setting extra; use one of: reward, agents, score, answer, group",
    "extra",
  ],
])(
  "rejects the reward %j with accepted and received values, and keeps the rollout open",
  async (body: string | object, message: string | RegExp, parameter?: string) => {
    const tiny = await started();
    await tiny.post(chats, chat);
    const answer = await tiny.post("/rollouts/a/reward", typeof body === "string" ? body : { group: "g", ...body });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(message);
    expect(answer.body.error.param).toBe(parameter ?? answer.body.error.message.split(":")[0]);
    expect((await tiny.get("/rollouts/a")).body.state).toBe("open");
  },
);

const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };

test.each([
  [[image], 'messages.0.content.0.type: it must be text, not "image_url"'],
  [[{ type: "text", text: "see" }, image], 'messages.0.content.1.type: it must be text, not "image_url"'],
  [[{ type: "text" }], "messages.0.content.0.text: it is missing; it must be a text"],
  [image, "messages.0.content: it must be a text, not an object; or it must be a list, not an object"],
  [7, "messages.0.content: it must be a text, not 7; or it must be a list, not 7"],
])("rejects the content %j and names the part", async (content, message) => {
  const tiny = await started();
  const asked = { model: "scout", messages: [{ role: "user", content }] };
  const answer = await tiny.post(chats, asked);
  expect([answer.status, answer.body.error.message]).toEqual([400, message]);
  expect(answer.body.error.param).toBe(message.split(":")[0]);
});

test("rejects endless nesting with a message", async () => {
  const tiny = await started();
  await tiny.post(chats, chat);
  const deep = `${"[".repeat(40_000)}${"]".repeat(40_000)}`;
  for (const body of [`{"reward":${deep}}`, `{"reward":1,"group":"g","answer":${deep}}`]) {
    const answer = await tiny.post("/rollouts/a/reward", body);
    expect([answer.status, answer.body.error.message]).toEqual([
      400,
      expect.stringContaining("nested more than 100 levels deep"),
    ]);
  }
});

test("rejects rewards of single agents in runs without them", async () => {
  const tiny = await started({ agentRewards: false });
  await tiny.post(chats, chat);
  const { status, body } = await tiny.post("/rollouts/a/reward", { reward: 1, agents: { scout: 1 }, group: "g" });
  expect([status, body.error.message]).toEqual([400, expect.stringContaining("set train.groupBy to prompt+agent")]);
});

test("without the key only the health check answers", async () => {
  const tiny = await started({ apiKey: "secret" });
  expect((await tiny.get("/health")).status).toBe(200);
  for (const path of ["/v1/rollouts/a/chat/completions", "/rollouts/a/reward", "/rollouts/a/abandon"]) {
    expect((await tiny.post(path, chat)).status).toBe(401);
    expect((await tiny.post(path, chat, { authorization: "Bearer wrong" })).status).toBe(401);
  }
  const own = { authorization: "Bearer secret" };
  expect((await tiny.post(chats, chat, own)).status).toBe(200);
});

test("rejects pages of other origins", async () => {
  const tiny = await started();
  for (const origin of ["https://evil.example", "http://localhost:3000", "http://127.0.0.1", "null"]) {
    const answer = await tiny.post("/rollouts/a/reward", { reward: 1 }, { origin });
    expect([origin, answer.status]).toEqual([origin, 403]);
  }
  const { hostname, port } = new URL(tiny.url);
  for (const host of ["evil.example", "localhost.evil.example", "192.168.0.7:8000", "[fe80::1]"]) {
    const sent = ask({ hostname, port, path: "/v1/models", headers: { host } }).end();
    const [answer] = (await once(sent, "response")) as [{ readonly statusCode: number; resume(): void }];
    answer.resume();
    expect([host, answer.statusCode]).toEqual([host, 403]);
  }
});

test("limits rollouts, requests and tokens", async () => {
  const tiny = await started({
    limits: { maxOpen: 2, maxWaiting: 1, maxCalls: 2, maxTokens: 40, rolloutSeconds: 60 },
  });
  const codeOf = async (id: string, content = "say"): Promise<unknown> => {
    const answer = await tiny.post(`/v1/rollouts/${id}/chat/completions`, {
      ...chat,
      messages: [{ role: "user", content }],
    });
    return answer.status === 200 ? 200 : `${answer.status} ${String(answer.body.error.code)}`;
  };
  expect(await codeOf("a")).toBe(200);
  expect(await codeOf("a")).toBe(200);
  expect(await codeOf("a")).toBe("400 rollout_full");
  expect(await codeOf("b", "x".repeat(40))).toBe("400 rollout_full");
  expect(await codeOf("c")).toBe("429 rollouts_open");
  await tiny.post("/rollouts/a/reward", { reward: 1, group: "g" });
  expect(await codeOf("c")).toBe("429 trainer_behind");
  const long = await tiny.post("/v1/rollouts/b/chat/completions", {
    ...chat,
    messages: [{ role: "user", content: "x".repeat(5000) }],
  });
  expect([long.status, long.body.error.param]).toEqual([400, "messages"]);
});

test("a disconnected client leaves no reply, and its rollout can end", async () => {
  let asked = (): void => undefined;
  const isAsked = new Promise<void>((done) => (asked = done));
  const hanging = {
    ...models.scout,
    complete: (request: Parameters<typeof models.scout.complete>[0]) => {
      asked();
      return new Promise<never>((_, fail) =>
        request.signal?.addEventListener("abort", () => fail(new Error("aborted"))),
      );
    },
  };
  const tiny = await startGateway({ rolloutsPerGroup: 1 });
  const taken = tiny.gateway.take({ step: 0, models: { ...models, scout: hanging } });
  const gone = new AbortController();
  const request = fetch(`${tiny.url}/v1/rollouts/a/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(chat),
    signal: gone.signal,
  });
  await isAsked;
  expect((await tiny.post("/rollouts/a/reward", { reward: 1, group: "g" })).body.error.code).toBe(
    "reply_in_the_making",
  );
  gone.abort();
  await expect(request).rejects.toThrow(/abort/i);
  expect((await tiny.post(chats, { ...chat, model: "solver" })).status).toBe(200);
  expect((await tiny.post("/rollouts/a/reward", { reward: 1, group: "g" })).status).toBe(200);
  expect((await taken)?.groups[0]?.episodes[0]?.episode.utterances.map(({ agent }) => agent)).toEqual(["solver"]);
  expect(tiny.errors).toEqual([]);
});

test("does not acknowledge a reward that cannot be stored", async () => {
  let full = false;
  const tiny = await started({
    journal: async () => {
      if (full) throw new Error("ENOSPC");
    },
  });
  await tiny.post(chats, chat);
  full = true;
  expect((await tiny.post("/rollouts/a/reward", { reward: 1, group: "g" })).status).toBe(500);
  full = false;
  expect((await tiny.post("/rollouts/a/reward", { reward: 1, group: "g" })).status).toBe(200);
});
