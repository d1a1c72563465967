import { expect, test } from "vitest";
import type { GatewayStep } from "@laconic/serve";
import { scripted, stall, startGateway, type TinyGateway } from "./tiny-gateway.ts";

const models = { scout: scripted(() => "ok"), solver: scripted(() => "no") };
const limits = { maxOpen: 64, maxWaiting: 64, maxCalls: 6, maxTokens: 20_000, rolloutSeconds: 600 };
const chat = { model: "scout", messages: [{ role: "user", content: "say" }] };

type Asked = Awaited<ReturnType<TinyGateway["post"]>>;

const ask = (tiny: TinyGateway, id: string, headers: Record<string, string> = {}): Promise<Asked> =>
  tiny.post(`/v1/rollouts/${id}/chat/completions`, chat, headers);

const held = async ({ gateway }: TinyGateway, count: number): Promise<void> => {
  await expect.poll(() => gateway.status().held).toBe(count);
};

async function program(tiny: TinyGateway, name: string, isNamed: boolean, atOnce = 2): Promise<void> {
  for (let round = 0; ; round++) {
    const group = `${name}-${round}`;
    const play = async (id: string): Promise<boolean> => {
      const { status } = await ask(tiny, id, isNamed ? { "x-rollout-group": group } : {});
      if (status !== 200) return status !== 503;
      return (await tiny.post(`/rollouts/${id}/reward`, { reward: 1, group })).status !== 503;
    };
    for (let member = 0; member < 2; member += atOnce) {
      const ids = Array.from({ length: atOnce }, (_, i) => `${group}-${member + i}`);
      const going = await Promise.all(ids.map(play)).catch(() => [false]); // the server is gone
      if (going.includes(false)) return;
    }
  }
}

async function trained(tiny: TinyGateway, steps: number): Promise<number> {
  let episodes = 0;
  for (let step = 0; step < steps; step++) {
    const taken = (await tiny.gateway.take({ step, models })) as GatewayStep;
    episodes += taken.groups.reduce((sum, group) => sum + group.episodes.length, 0);
  }
  return episodes;
}

test.each([
  ["four programs", 4, true, 2],
  ["fewer programs than a step has groups", 1, true, 2],
  ["programs that play one rollout at a time", 3, true, 1],
  ["more programs than a step has rollouts", 8, true, 1],
  ["four programs that say the group with the reward", 4, false, 2],
  ["more programs than a step has rollouts, which say the group with the reward", 8, false, 1],
])("%s run every step without stale rollouts if groups are named", async (_, programs, isNamed, atOnce) => {
  const tiny = await startGateway({ groupsPerStep: 2, limits });
  const playing = Array.from({ length: programs }, (_unused, p) => program(tiny, `p${p}`, isNamed, atOnce));
  expect(await trained(tiny, 5)).toBe(5 * 4);
  const { dropped } = tiny.gateway.status();
  await tiny.gateway.close();
  await Promise.all(playing);
  expect(isNamed ? dropped : {}).toEqual({});
});

test("a rollout that no step can train waits and uses the next weights", async () => {
  const tiny = await startGateway();
  const first = tiny.gateway.take({ step: 0, models });
  await ask(tiny, "a", { "x-rollout-group": "g" });
  const other = ask(tiny, "b", { "x-rollout-group": "h" });
  await held(tiny, 1);
  expect(tiny.events).toEqual([{ kind: "opened", id: "a" }]);
  expect((await ask(tiny, "v", { "x-rollout-split": "validation" })).body.system_fingerprint).toBe("step-0");
  await ask(tiny, "c", { "x-rollout-group": "g" }); // fills the group, so it passes
  for (const id of ["a", "c"]) await tiny.post(`/rollouts/${id}/reward`, { reward: 1 });
  await first;
  const second = tiny.gateway.take({ step: 1, models });
  expect((await other).body.system_fingerprint).toBe("step-1");
  expect(tiny.gateway.status()).toMatchObject({ held: 0, dropped: {} });
  await tiny.gateway.close();
  expect(await second).toBeNull();
});

test("a program that dies with an open rollout loses its group but no step", async () => {
  const tiny = await startGateway();
  const first = tiny.gateway.take({ step: 0, models });
  await ask(tiny, "dead", { "x-rollout-group": "g" });
  const others = ["a", "b"].map((id) => ask(tiny, id, { "x-rollout-group": "h" }));
  await stall(tiny);
  await Promise.all(others);
  const more = ask(tiny, "c", { "x-rollout-group": "i" });
  await held(tiny, 1); // one group more, not whoever comes
  for (const id of ["a", "b"]) await tiny.post(`/rollouts/${id}/reward`, { reward: 1 });
  expect((await first)?.groups).toMatchObject([{ problem: { id: "h" } }]);
  const second = tiny.gateway.take({ step: 1, models });
  expect((await more).body.system_fingerprint).toBe("step-1");
  expect((await tiny.get("/rollouts/dead")).body).toMatchObject({ state: "dropped", reason: "stale" });
  await tiny.gateway.close();
  expect(await second).toBeNull();
});

test("a released place goes to another rollout", async () => {
  const tiny = await startGateway();
  void tiny.gateway.take({ step: 0, models });
  await ask(tiny, "a", { "x-rollout-group": "g" });
  const other = ask(tiny, "b", { "x-rollout-group": "h" });
  await held(tiny, 1);
  await tiny.post("/rollouts/a/abandon", {});
  expect((await other).status).toBe(200);
});

test("long waits end with a retry, hang-ups leave the queue, and the end rejects the rest", async () => {
  const tiny = await startGateway({ rolloutsPerGroup: 1, limits });
  void tiny.gateway.take({ step: 0, models });
  await ask(tiny, "a", { "x-rollout-group": "g" });
  const leaving = new AbortController();
  const gone = fetch(`${tiny.url}/v1/rollouts/gone/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(chat),
    signal: leaving.signal,
  });
  await held(tiny, 1);
  leaving.abort();
  await expect(gone).rejects.toThrow(/abort/u);
  await held(tiny, 0);
  const late = ask(tiny, "late");
  await held(tiny, 1);
  tiny.clock.now += 240_001;
  await tiny.gateway.sweep();
  expect(await late).toMatchObject({ status: 429, body: { error: { code: "trainer_behind" } } });
  const last = Promise.all([ask(tiny, "same"), ask(tiny, "same")]);
  await held(tiny, 1);
  const refused = last.then((answers) => answers.map(({ status }) => status));
  await tiny.gateway.close();
  expect(await refused).toEqual([503, 503]);
});

test("waiting requests of one rollout begin it once", async () => {
  const tiny = await startGateway({ rolloutsPerGroup: 1, limits });
  const first = tiny.gateway.take({ step: 0, models });
  await ask(tiny, "a", { "x-rollout-group": "g" });
  const both = Promise.all([ask(tiny, "b"), ask(tiny, "b")]);
  await held(tiny, 1);
  await tiny.post("/rollouts/a/reward", { reward: 1 });
  await first;
  const second = tiny.gateway.take({ step: 1, models });
  expect((await both).map(({ status }) => status)).toEqual([200, 200]);
  expect(tiny.events.filter((event) => event.kind === "opened" && event.id === "b")).toHaveLength(1);
  await tiny.gateway.close();
  expect(await second).toBeNull();
});
