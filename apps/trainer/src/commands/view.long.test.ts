import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { entry, expectRefused, laconic } from "../../test/laconic.ts";

async function folder(): Promise<string> {
  const path = await temporaryFolder();
  await mkdir(join(path, "run"));
  await writeFile(join(path, "run/config.json"), `{"train":{"steps":3}}`);
  return path;
}

test.each([
  [["none"], /none: folder not found/],
  [[".", "none"], /none: folder not found/],
  [["--port", "many"], /--port is many/],
  [[".", "--out", "page.html", "--max-mb", "0"], /--max-mb is 0/],
  [["none", "--out", "page.html"], /none: folder not found/],
  [["--prot", "1"], /unknown flag --prot; did you mean --port\?/],
] as const)("view rejects %j", (words, message) => expectRefused(["view", ...words], message));

test("--out writes one file and lists what it omits", async () => {
  const path = await folder();
  const file = join(path, "page.html");
  const { code, out } = await laconic("view", join(path, "run"), "--out", file, "--json");
  expect(code).toBe(0);
  const html = await readFile(file, "utf8");
  expect(JSON.parse(out)).toEqual({ file, bytes: Buffer.byteLength(html), leftOut: [] });
  expect(html).toMatch(/^<!doctype html>[^]*<title>run · Laconic<\/title>/u);
  await expectRefused(["view", join(path, "run"), "--out", join(path, "none/page.html")], "cannot be written");
});

test("names a port in use, without a stack", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void holder.close());
  await once(holder, "listening");
  const { port } = holder.address() as AddressInfo;
  const { code, err } = await laconic("view", await folder(), "--port", String(port));
  expect([code, err.split("\n").at(-1)]).toEqual([
    2,
    `laconic: cannot listen on 127.0.0.1:${port}: the port is in use; choose another with --port, or 0 for a free one`,
  ]);
});

test("--view shows the run's page and serves it until ctrl-c", async () => {
  const directory = join(await folder(), "small");
  const words = ["quickstart", "--view", "--json", "--device", "wasm", "--run", directory];
  const small = ["train.steps=1", "train.problemsPerStep=2", "train.evaluation.problems=4", "workers=1"];
  const child = spawn(process.execPath, [entry, ...words, ...small], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let reply = "";
  let result = "";
  child.stderr.on("data", (text) => (reply += String(text)));
  child.stdout.on("data", (text) => (result += String(text)));
  const shown = /^watch it: (\S+)\/dashboard\/#\/run\/(\w+)$/mu;
  await expect.poll(() => reply, { timeout: 60_000 }).toMatch(shown);
  const [, address, id] = shown.exec(reply) as RegExpExecArray;
  await expect.poll(() => reply, { timeout: 60_000 }).toMatch(/^dashboard: .*; ctrl-c stops it, laconic view/mu);
  expect(JSON.parse(result)).toHaveProperty("after");
  const detail = (await (await fetch(`${address}/api/runs/${id}`)).json()) as { summary: object };
  expect(detail.summary).toMatchObject({ name: "small", state: "done", step: 1 });
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("view answers at its printed address, requires its token from other hosts, and ends on ctrl-c", async () => {
  const words = ["view", await folder(), "--json", "--host", "0.0.0.0"];
  const child = spawn(process.execPath, [entry, ...words], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { port, searchParams } = new URL((JSON.parse(line.toString()) as { url: string }).url);
  const address = `http://127.0.0.1:${port}`;
  expect((await fetch(`${address}/api/runs`)).status).toBe(401);
  const welcome = await fetch(`${address}/?token=${searchParams.get("token")}`);
  const [cookie = ""] = (welcome.headers.get("set-cookie") ?? "").split(";");
  const runs = (await (await fetch(`${address}/api/runs`, { headers: { cookie } })).json()) as unknown[];
  expect(runs).toEqual([expect.objectContaining({ name: "run", state: "stopped", plannedSteps: 3 })]);
  const events = await fetch(`${address}/api/events`, { headers: { cookie } });
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([130, null]);
  await events.body?.cancel();
});
