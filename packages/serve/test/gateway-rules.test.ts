import { expect, test } from "vitest";
import { createGateway, type GatewayEvent, type GatewayStep } from "@laconic/serve";
import { scripted, spelled, stall, startGateway, tokenizer, type TinyGateway } from "./tiny-gateway.ts";

const models = { scout: scripted(() => "the"), solver: scripted(() => "no") };
const ask = (model = "scout", content = "say"): object => ({ model, messages: [{ role: "user", content }] });

async function play(tiny: TinyGateway, id: string, group: string, reward: unknown = 1): Promise<void> {
  expect((await tiny.post(`/v1/rollouts/${id}/chat/completions`, ask())).status).toBe(200);
  expect((await tiny.post(`/rollouts/${id}/reward`, { reward, group })).status).toBe(200);
}

const idsOf = (step: GatewayStep | null, events: readonly GatewayEvent[]): readonly string[] => {
  const taken = events.findLast((event) => event.kind === "taken");
  expect(taken?.ids).toHaveLength(step?.groups.flatMap(({ episodes }) => episodes).length ?? -1);
  return taken?.ids ?? [];
};

test("requests wait during weight updates, and no reply mixes weights", async () => {
  const tiny = await startGateway();
  const early = tiny.post("/v1/rollouts/a/chat/completions", ask()); // before there are any weights
  const first = tiny.gateway.take({ step: 0, models });
  expect((await early).body.system_fingerprint).toBe("step-0");
  await tiny.post("/rollouts/a/reward", { reward: 1, group: "g" });
  await play(tiny, "b", "g", 0);
  await first;
  let answered = false;
  const held = tiny.post("/v1/rollouts/c/chat/completions", ask()).then((answer) => {
    answered = true;
    return answer;
  });
  await tiny.get("/health"); // a round trip in which it would have been answered
  expect(answered).toBe(false);
  const second = tiny.gateway.take({ step: 1, models });
  expect((await held).body.system_fingerprint).toBe("step-1");
  await tiny.gateway.close();
  expect(await second).toBeNull();
});

test("a gateway needs a model and a port, and a key for other machines", async () => {
  const gateway = createGateway({
    agents: { scout: { tokenizer, contextLength: 4096 }, api: { tokenizer: null, contextLength: 9 } },
  });
  await expect(gateway.listen(0, "0.0.0.0")).rejects.toFailWith("config_invalid");
  const url = await gateway.listen(0);
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
  const step = gateway.take({ step: 0, models });
  const headers = { "content-type": "application/json" };
  const asked = await fetch(`${url}/v1/rollouts/a/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify(ask()),
  });
  expect(await asked.json()).toMatchObject({ object: "chat.completion", system_fingerprint: "step-0" });
  expect(gateway.status()).toMatchObject({ open: 1, groupsPerStep: 16 });
  await gateway.close();
  expect(await step).toBeNull();
  await expect(fetch(`${url}/health`)).rejects.toThrow("fetch failed");
});

test("weight updates wait for unfinished replies", async () => {
  let release = (): void => undefined;
  const slow = scripted(() => "slow");
  const held: typeof slow = {
    ...slow,
    complete: async (request) => {
      await new Promise<void>((done) => (release = done));
      return slow.complete(request);
    },
  };
  const tiny = await startGateway({ rolloutsPerGroup: 1, maxLag: 1 });
  let isTaken = false;
  const taken = tiny.gateway.take({ step: 0, models: { ...models, solver: held } }).then((step) => {
    isTaken = true;
    return step;
  });
  const late = tiny.post("/v1/rollouts/b/chat/completions", ask("solver"));
  await play(tiny, "a", "g");
  await tiny.get("/health");
  expect(isTaken).toBe(false);
  release();
  expect((await late).body.system_fingerprint).toBe("step-0");
  expect(idsOf(await taken, tiny.events)).toEqual(["a"]);
});

test("an incomplete group waits for the next step within the lag", async () => {
  const tiny = await startGateway({ maxLag: 1 });
  const first = tiny.gateway.take({ step: 0, models });
  await play(tiny, "g1", "g");
  await play(tiny, "h1", "h");
  await play(tiny, "h2", "h");
  expect(idsOf(await first, tiny.events)).toEqual(["h1", "h2"]);
  const second = tiny.gateway.take({ step: 1, models });
  await play(tiny, "g2", "g");
  expect((await second)?.groups).toMatchObject([{ problem: { id: "g" }, lag: 1 }]);
  expect(tiny.gateway.status().dropped).toEqual({});
});

test("trains complete groups of the oldest weights first", async () => {
  const tiny = await startGateway({ maxLag: 3, rolloutsPerGroup: 1 });
  for (const [step, open] of ["old", "new"].entries()) {
    const taken = tiny.gateway.take({ step, models });
    await tiny.post(`/v1/rollouts/${open}/chat/completions`, ask());
    await play(tiny, `trained-${step}`, `trained-${step}`);
    await taken;
  }
  for (const id of ["new", "old"]) await tiny.post(`/rollouts/${id}/reward`, { reward: 1, group: id });
  expect(idsOf(await tiny.gateway.take({ step: 2, models }), tiny.events)).toEqual(["old"]);
});

test("validation rollouts are scored by step and never trained", async () => {
  const tiny = await startGateway({ limits: { maxOpen: 8, maxWaiting: 1, maxCalls: 6, maxTokens: 20_000 } });
  const first = tiny.gateway.take({ step: 0, models });
  const held = async (id: string, reward: unknown, body: object = {}, headers: Record<string, string> = {}) => {
    const asked = { ...ask(), ...body };
    expect((await tiny.post(`/v1/rollouts/${id}/chat/completions`, asked, headers)).status).toBe(200);
    return tiny.post(`/rollouts/${id}/reward`, { reward });
  };
  const metadata = { metadata: { split: "validation", rollout_group: "g" } };
  const header = { "x-rollout-split": "validation" };
  await play(tiny, "a", "g"); // as many wait now as may
  expect((await held("v1", 1, metadata)).body).toMatchObject({ state: "validated" });
  expect((await held("v2", { task: 0, form: 5 }, {}, header)).body).toMatchObject({ state: "validated" });
  expect((await tiny.post("/rollouts/v1/reward", { reward: 1 })).body).toMatchObject({ repeated: true });
  expect(tiny.gateway.status()).toMatchObject({ waiting: 1, validation: { step: 0, count: 2, score: 0.5 } });
  expect(tiny.events).toContainEqual({ kind: "validated", id: "v2", step: 0, score: 0 });
  expect((await tiny.get("/rollouts/v2")).body.state).toBe("validated");
  const unmarked = await tiny.post("/v1/rollouts/b/chat/completions", ask());
  expect(unmarked.body.error.code).toBe("trainer_behind");
  await tiny.gateway.close();
  expect(await first).toBeNull();
});

test("a rollout has one split, and a step takes only training rollouts", async () => {
  const tiny = await startGateway();
  const taken = tiny.gateway.take({ step: 3, models });
  const header = { "x-rollout-split": "validation" };
  const other = { ...ask(), metadata: { split: "validation" } };
  await tiny.post("/v1/rollouts/a/chat/completions", ask());
  expect((await tiny.post("/v1/rollouts/a/chat/completions", other)).body.error.code).toBe("split_differs");
  expect(
    (await tiny.post("/v1/rollouts/x/chat/completions", ask(), { "x-rollout-split": "test" })).body.error,
  ).toMatchObject({ param: "split", message: "split: expected train or validation, got test" });
  await tiny.post("/rollouts/a/reward", { reward: 1, group: "g" });
  for (const id of ["v1", "v2"]) {
    await tiny.post(`/v1/rollouts/${id}/chat/completions`, ask(), header);
    await tiny.post(`/rollouts/${id}/reward`, { reward: 0, group: "g" });
  }
  await play(tiny, "b", "g", 0);
  expect(idsOf(await taken, tiny.events)).toEqual(["a", "b"]);
  const again = await startGateway({ past: tiny.events });
  const second = again.gateway.take({ step: 4, models });
  expect((await again.get("/rollouts/v1")).body.state).toBe("validated");
  expect((await again.get("/rollouts/a")).body.state).toBe("trained");
  await again.gateway.close();
  expect(await second).toBeNull();
});

/** A rollout with a reply of step 0, when step 1 has begun. */
async function withOldReply(maxLag: number): Promise<{ tiny: TinyGateway; second: Promise<GatewayStep | null> }> {
  const tiny = await startGateway({ maxLag, rolloutsPerGroup: 1 });
  const first = tiny.gateway.take({ step: 0, models });
  await tiny.post("/v1/rollouts/old/chat/completions", ask());
  const other = play(tiny, "a", "g");
  if (maxLag === 0) await stall(tiny);
  await other;
  await first;
  return { tiny, second: tiny.gateway.take({ step: 1, models }) };
}

test("rejects replies of older weights and never trains them", async () => {
  const { tiny, second } = await withOldReply(0);
  for (const [path, body] of [
    ["/v1/rollouts/old/chat/completions", ask()],
    ["/rollouts/old/reward", { reward: 1, group: "g" }],
  ] as const) {
    const answer = await tiny.post(path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code: "rollout_stale", type: "invalid_request_error" });
  }
  expect(tiny.gateway.status().dropped).toEqual({ stale: 1 });
  await play(tiny, "new", "g");
  expect((await second)?.lag).toBe(0);
});

test("an asynchronous run accepts replies of several weights and reports the oldest", async () => {
  const { tiny, second } = await withOldReply(1);
  const { status, body } = await tiny.post("/v1/rollouts/old/chat/completions", ask());
  expect([status, body.system_fingerprint]).toEqual([200, "step-1"]);
  await tiny.post("/rollouts/old/reward", { reward: 1, group: "g" });
  const aged = await second;
  expect([aged?.lag, aged?.groups.map(({ lag }) => lag)]).toEqual([1, [1]]);
});

/** The scout writes `t` and `h`; its tokenizer reads them as one token. */
const spelling = { ...models, scout: scripted(() => [...spelled("the"), 0]) };
const history = [
  { role: "user", content: "say" },
  { role: "assistant", content: "the" },
  { role: "user", content: "more" },
];

test("a history in other tokens starts a new sequence and is counted", async () => {
  const tiny = await startGateway({ rolloutsPerGroup: 1 });
  const taken = tiny.gateway.take({ step: 0, models: spelling });
  await tiny.post("/v1/rollouts/a/chat/completions", ask());
  await tiny.post("/v1/rollouts/a/chat/completions", { model: "scout", messages: history });
  expect((await tiny.get("/rollouts/a")).body.replies?.map(({ kind }) => kind)).toEqual(["first", "rerendered"]);
  await tiny.post("/rollouts/a/reward", { reward: 1, group: "g" });
  const { utterances, notes } = (await taken)?.groups[0]?.episodes[0]?.episode ?? { utterances: [] };
  expect(notes).toEqual(["rerendered"]);
  expect(utterances[1]?.trace?.promptTokens).toEqual(tokenizer.encodeChat(history as never)); // what was read, not what was said
  expect(utterances[0]?.trace?.tokens).toEqual([...spelled("the"), 0]);
  expect(tiny.gateway.status().prompts).toEqual({ first: 1, rerendered: 1 });
});

test("a run that rejects such histories names the difference", async () => {
  const tiny = await startGateway({ rerendered: "refuse" });
  void tiny.gateway.take({ step: 0, models: spelling });
  await tiny.post("/v1/rollouts/a/chat/completions", ask());
  const { status, body } = await tiny.post("/v1/rollouts/a/chat/completions", { model: "scout", messages: history });
  expect(status).toBe(400);
  // user mark, three letters, end, assistant mark: the reply begins at 6
  expect(body.error).toMatchObject({
    code: "rerendered",
    message: expect.stringContaining("from token 6 of the prompt"),
  });
});

test("replies use the run's sampling and separate random streams", async () => {
  const seen: { random: string; temperature: number; conversation: string | undefined }[] = [];
  const listening = scripted((_, { random, sampling, conversation }) => {
    seen.push({ random: random.join(), temperature: sampling.temperature, conversation });
    return "ok";
  });
  const tiny = await startGateway({ sampling: { temperature: 0.9 } });
  void tiny.gateway.take({ step: 0, models: { scout: listening, solver: listening } });
  const hot = { ...ask(), temperature: 0, seed: 7 };
  await Promise.all(["a", "a", "b"].map((id) => tiny.post(`/v1/rollouts/${id}/chat/completions`, hot)));
  expect(seen.map(({ temperature }) => temperature)).toEqual([0.9, 0.9, 0.9]);
  expect(new Set(seen.map(({ random }) => random)).size).toBe(3);
  expect(new Set(seen.map(({ conversation }) => conversation))).toEqual(new Set(["a/scout", "b/scout"]));
  expect(tiny.gateway.status().otherSampling).toBe(3);
  const strict = await startGateway({ otherSampling: "refuse" });
  const { status, body } = await strict.post("/v1/rollouts/a/chat/completions", hot);
  expect([status, body.error.param]).toEqual([400, "temperature"]);
});

test("groups train in order of completion, and late groups with their present members", async () => {
  const tiny = await startGateway({ groupsPerStep: 1 });
  const first = tiny.gateway.take({ step: 0, models });
  await play(tiny, "a1", "a");
  await play(tiny, "b1", "b");
  await play(tiny, "b2", "b");
  expect(idsOf(await first, tiny.events)).toEqual(["b1", "b2"]);
  const lonely = await startGateway({ rolloutsPerGroup: 3, groupSeconds: 10 });
  const second = lonely.gateway.take({ step: 0, models });
  await play(lonely, "c1", "c");
  await play(lonely, "d1", "d");
  await play(lonely, "d2", "d");
  lonely.clock.now += 10_001;
  await lonely.gateway.sweep();
  expect(idsOf(await second, lonely.events)).toEqual(["d1", "d2"]);
  expect((await lonely.get("/rollouts/c1")).body).toMatchObject({ state: "dropped", reason: "lonely" });
});

test("a clock set back does not delay the drop of silent rollouts", async () => {
  const tiny = await startGateway();
  void tiny.gateway.take({ step: 0, models });
  await tiny.post("/v1/rollouts/idle/chat/completions", ask());
  tiny.clock.now += 30_000;
  await tiny.gateway.sweep();
  tiny.clock.now -= 36_000_000;
  await tiny.gateway.sweep();
  tiny.clock.now += 30_001;
  await tiny.gateway.sweep();
  expect(tiny.gateway.status().dropped).toEqual({ timeout: 1 });
});

test("answers no request of a rollout that could not be stored", async () => {
  let fail: (error: Error) => void = () => undefined;
  const isWritten = new Promise<void>((_, stop) => (fail = stop));
  const tiny = await startGateway({ journal: (event) => (event.kind === "opened" ? isWritten : Promise.resolve()) });
  void tiny.gateway.take({ step: 0, models });
  const both = [1, 2].map(() => tiny.post("/v1/rollouts/a/chat/completions", ask()));
  await expect.poll(() => tiny.gateway.status().open).toBe(1);
  await tiny.get("/health");
  fail(new Error("the disk is full"));
  expect((await Promise.all(both)).map(({ status }) => status)).toEqual([500, 500]);
  expect(tiny.gateway.status().open).toBe(0);
});

test("never trains a rollout during its drop", async () => {
  let release = (): void => undefined;
  const isWritten = new Promise<void>((done) => (release = done));
  const events: GatewayEvent[] = [];
  const tiny = await startGateway({
    maxLag: 1,
    groupSeconds: 10,
    journal: async (event) => {
      if (event.kind === "dropped") await isWritten;
      events.push(event);
    },
  });
  void tiny.gateway.take({ step: 0, models });
  await play(tiny, "a1", "a");
  await play(tiny, "b1", "b");
  tiny.clock.now += 10_001;
  const sweeping = tiny.gateway.sweep();
  await play(tiny, "b2", "b");
  release();
  await sweeping;
  expect(events.filter(({ kind }) => kind === "taken")).toEqual([]);
  expect(tiny.gateway.status()).toMatchObject({ waiting: 1, dropped: { lonely: 2 } });
});

test("a rollout ends by reward, abandonment or silence, and later requests get the reason", async () => {
  const tiny = await startGateway();
  void tiny.gateway.take({ step: 0, models });
  await play(tiny, "done", "g");
  await tiny.post("/v1/rollouts/gone/chat/completions", ask());
  expect((await tiny.post("/rollouts/gone/abandon", {})).body).toMatchObject({ state: "dropped", reason: "abandoned" });
  await tiny.post("/v1/rollouts/idle/chat/completions", ask());
  tiny.clock.now += 60_001;
  await tiny.gateway.sweep();
  for (const [id, status, code] of [
    ["done", 400, "rollout_ended"],
    ["gone", 404, "rollout_abandoned"],
    ["idle", 404, "rollout_timeout"],
  ] as const)
    for (const path of [`/v1/rollouts/${id}/chat/completions`, `/rollouts/${id}/reward`]) {
      const answer = await tiny.post(path, path.endsWith("reward") ? { reward: 0, group: "g" } : ask());
      expect([id, answer.status, answer.body.error.code]).toEqual([id, status, code]);
    }
  expect((await tiny.post("/rollouts/done/reward", { reward: 1, group: "g" })).body).toMatchObject({ repeated: true });
});

const sent = { reward: { task: 1, form: 0.5 }, agents: { scout: { own: 0.1, tone: 0.2 } }, group: "g", answer: "so" };

test.each([
  ["as it was", sent, true],
  ["keys in another order", reversed(sent), true],
  ["without the group that the rollout has", { ...sent, group: undefined }, true],
  ["without the answer", { ...sent, answer: undefined }, true],
  ["another term", { ...sent, reward: { task: 1, form: 0.25 } }, false],
  ["a term less", { ...sent, reward: { task: 1 } }, false],
  ["terms of an agent exchanged", { ...sent, agents: { scout: { own: 0.2, tone: 0.1 } } }, false],
  ["another group", { ...sent, group: "h" }, false],
  ["another answer", { ...sent, answer: null }, false],
  ["a score", { ...sent, score: 1 }, false],
])("a repeated reward, %s", async (_, again, isSame) => {
  const tiny = await startGateway();
  void tiny.gateway.take({ step: 0, models });
  await tiny.post("/v1/rollouts/a/chat/completions", ask());
  expect((await tiny.post("/rollouts/a/reward", sent)).status).toBe(200);
  const { status, body } = await tiny.post("/rollouts/a/reward", again);
  expect([status, body.repeated ?? body.error.code]).toEqual(isSame ? [200, true] : [400, "rollout_ended"]);
  expect(tiny.events.filter(({ kind }) => kind === "finished")).toHaveLength(1);

  const after = await startGateway({ past: tiny.events });
  void after.gateway.take({ step: 0, models });
  const late = await after.post("/rollouts/a/reward", again);
  expect([late.status, late.body]).toEqual([status, body]);
});

test("a grade as a number or by name is the same reward", async () => {
  const tiny = await startGateway();
  void tiny.gateway.take({ step: 0, models });
  await play(tiny, "a", "g", 1);
  const { body } = await tiny.post("/rollouts/a/reward", { group: "g", reward: { task: 1 } });
  expect(body).toMatchObject({ state: "finished", repeated: true });
});

function reversed(value: object): object {
  const entries = Object.entries(value).toReversed();
  return Object.fromEntries(
    entries.map(([key, item]: [string, unknown]) => [
      key,
      typeof item === "object" && item !== null ? reversed(item) : item,
    ]),
  );
}
