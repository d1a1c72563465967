import { once } from "node:events";
import { copyFile, symlink, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { post, startServe } from "../../test/start-serve.ts";
import { tinyChatModel } from "../../test/tiny-chat-model.ts";
import { expectRefused, outputOf } from "../../test/laconic.ts";

async function promptTokensOf(url: string, asked: object): Promise<number> {
  const { body } = await post(`${url}/chat/completions`, asked);
  return (body["usage"] as { readonly prompt_tokens: number }).prompt_tokens;
}

test.each([
  [["--port", "70000"], /--port is 70000, expected 0 to 65535/],
  [["--policy", "foo"], /--policy has no effect: shipped is a model/],
  [["--best"], /--best has no effect: shipped is a model/],
  [["--sources", "current"], /--sources has no effect: shipped is a model/],
  [["--keep-prefixes", "much"], /--keep-prefixes is much/],
  [["--cache", "much"], /--cache is much/],
] as const)("serve rejects %j", (flags, message) => expectRefused(["serve", "shipped", ...flags], message));

test("serve ends on SIGTERM despite unfinished requests", async () => {
  const { child, url } = await startServe("shipped", "relay-one-fact");
  const { hostname, port } = new URL(url);
  const head = "POST /v1/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
  const sockets: Socket[] = [];
  for (const reply of [
    "",
    "GET /v1/mod",
    `${head}content-length: 900\r\n\r\n{"model":`,
    "GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n",
  ]) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(reply);
    sockets.push(socket);
  }
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  await once(sockets[3] as Socket, "data");
  child.kill("SIGTERM");
  // Killed by the test's own end if it does not end by itself.
  const outcome = await Promise.race([once(child, "exit"), new Promise((late) => setTimeout(late, 20_000, "late"))]);
  expect(outcome).toEqual([0, null]);
});

test("serve answers until an interrupt, then exits", async () => {
  const { child, url } = await startServe("shipped", "relay-one-fact");
  try {
    const asked = { model: "relay-one-fact", prompt: [5, 6, 7], seed: 1, return_token_ids: true };
    const reply = async (): Promise<unknown> => {
      const { body } = await post(`${url}/completions`, asked);
      expect(body["prompt_token_ids"]).toEqual([5, 6, 7]);
      return body["choices"];
    };
    expect(await reply()).toEqual(await reply());
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
  } finally {
    child.kill("SIGKILL");
  }
});

test("serves a run as its team and each agent alone", async () => {
  const run = join(await temporaryFolder(), "quick");
  const train = ["train", "preset:relay-quickstart", "train.steps=1", "train.evaluation.every=0", "--run", run];
  await outputOf(...train, "workers=1");
  const { url } = await startServe(run, "quick");
  const ask = async (path: string, asked: object): Promise<Readonly<Record<string, unknown>>> =>
    (await post(`${url}${path}`, asked)).body;
  const agents = ["holder-a", "holder-b", "holder-c", "solver"];
  const { data } = (await (await fetch(`${url}/models`)).json()) as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual(["quick", ...agents.map((agent) => `quick/${agent}`)]);
  const messages = [
    ...["k6", "w5", "e3"].map((content, i) => ({ role: "user", name: agents[i], content })),
    { role: "user", content: "k+e" },
  ];
  const team = await ask("/chat/completions", { model: "quick", messages, seed: 1 });
  expect(team).toMatchObject({ choices: [{ laconic: { messages: agents.map((agent) => ({ agent })) } }] });
  expect(team["usage"]).toMatchObject({ laconic: { calls: 4 } });
  const tools = [{ type: "function", function: { name: "add" } }];
  const refused = await ask("/chat/completions", { model: "quick", messages, tools });
  expect(refused).toMatchObject({ error: { param: "tools", message: expect.stringMatching(/only its own tools/u) } });
  const seat = await ask("/completions", { model: "quick/solver", prompt: [5, 6, 7], max_tokens: 2 });
  expect(seat).toMatchObject({ choices: [{ index: 0 }] });
});

test("serves a single-agent run with the task's prompt and tools, and its policy without", async () => {
  const folder = await temporaryFolder();
  const template = fileURLToPath(new URL("../../assets/init/tools/task.ts", import.meta.url));
  await copyFile(template, join(folder, "task.ts"));
  await symlink(fileURLToPath(new URL("../../node_modules", import.meta.url)), join(folder, "node_modules"));
  const train = { steps: 1, problemsPerStep: 2, episodesPerProblem: 2, evaluation: { every: 0 } };
  const config = { task: "./task.ts", model: "untrained", device: "wasm", workers: 1, train };
  await writeFile(join(folder, "run.json"), JSON.stringify(config));
  const run = join(folder, "stock");
  await outputOf("train", join(folder, "run.json"), "--run", run);
  const { url } = await startServe(run, "stock");
  const ask = (model: string, messages: readonly object[]): Promise<number> =>
    promptTokensOf(url, { model, messages, max_tokens: 4, seed: 1 });
  const question = { role: "user", content: "5" };
  const [team, seat] = [await ask("stock", [question]), await ask("stock/clerk", [question])];
  expect(team).toBe(await ask("stock/clerk", [{ role: "system", content: "Say how many." }, question]));
  expect(team).toBeGreaterThan(seat);
});

test("a chat model accepts a caller's tools", async () => {
  const folder = join(await temporaryFolder(), "chat");
  await tinyChatModel(folder);
  const { url } = await startServe(folder, "chat");
  const messages = [{ role: "user", content: "hi" }];
  const length = (more: object): Promise<number> =>
    promptTokensOf(url, { model: "chat", messages, max_tokens: 2, ...more });
  const tools = [{ type: "function", function: { name: "add", description: "adds", parameters: {} } }];
  expect(await length({ tools })).toBeGreaterThan((await length({})) + "add adds".length);
});
