import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TokenTrace } from "@laconic/core";
import { closeServer } from "@laconic/serve/server";
import { nodeFileSystem, readLines } from "@laconic/trainer";
import { eachEpisode, folderSource } from "@laconic/trainer/reading";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createViewServer,
  openViewer,
  type BenchTable,
  type EpisodeDetail,
  type EpisodePage,
  type MetricTable,
  type RunDetail,
  type RunSummary,
  type Speech,
  type ViewData,
  type Viewer,
} from "@laconic/view";
import { settings, smallRun, somePages } from "./small-runs.ts";
import { sharedFolder } from "../../../test/temporary-folder.ts";

const folder = sharedFolder();
let viewer: Viewer;
let id = "";
const failures: unknown[] = [];

const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Response> =>
  viewer.handle(new Request(`http://localhost${path}`, { method, headers: { host: "localhost:1234", ...headers } }));
async function get<T>(path: string): Promise<T> {
  const response = await ask(path);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}
const rows = (name: string): Promise<Record<string, unknown>[]> =>
  readLines(nodeFileSystem, join(folder, "runs/a", name));

beforeAll(async () => {
  await smallRun(join(folder, "runs/a"));
  const pages = await somePages(join(folder, "pages"));
  // In the thread, as everybody runs it.
  viewer = await openViewer({ folders: [join(folder, "runs")], pages, onError: (error) => failures.push(error) });
  [{ id }] = (await get<RunSummary[]>("/api/runs")) as [RunSummary];
});
afterAll(() => viewer.close());

describe("data of a run's pages", () => {
  test("the list names state, steps, evaluations and the leaves of the configuration", async () => {
    const [summary] = await get<RunSummary[]>("/api/runs");
    const [before, , after] = await rows("evaluations.jsonl");
    expect(summary).toMatchObject({
      id,
      name: "a",
      folder: "a",
      state: "done",
      reason: null,
      step: 4,
      plannedSteps: 4,
      warnings: 1,
      seed: "7",
      objective: "gspo",
      device: "none",
      budgetTokens: null,
      seconds: 0,
      settings: { steps: 4, "prices.tokens": 0.1, "objective.clip.low": 0.2, budget: null },
    });
    expect([summary?.before?.accuracy, summary?.after?.tokens]).toEqual([before?.["accuracy"], after?.["tokens"]]);
    expect(summary?.bytes).toBeGreaterThan(10_000);
  });

  test("the detail has agents, evaluations and every metric that is not always zero, with unit and meaning", async () => {
    const detail = await get<RunDetail>(`/api/runs/${id}`);
    expect([detail.agents, detail.episodes]).toEqual([["hint", "solver"], 39]);
    expect(detail.warnings).toEqual([expect.stringContaining("a clip of 0.2/0.2 is GRPO's width")]);
    expect(detail.evaluations.map(({ step }) => step)).toEqual([0, 2, 4]);
    const named = new Map(detail.metrics.map((each) => [each.name, each]));
    expect(named.get("tokens/episode_mean")).toEqual({
      name: "tokens/episode_mean",
      unit: "tokens",
      meaning: "Mean tokens written per episode: what a budget limits.",
    });
    expect([named.get("progress/done_frac")?.unit, named.get("reward/mean")?.unit]).toEqual(["share", "reward"]);
    expect(named.has("scoring/error")).toBe(false);
  });

  test("columns equal the files, with null for missing values", async () => {
    const table = await get<MetricTable>(`/api/runs/${id}/columns?names=reward/mean,no/such,tokens/total`);
    const metrics = await rows("metrics.jsonl");
    expect(table).toEqual({
      every: 1,
      steps: [1, 2, 3, 4],
      columns: {
        "reward/mean": metrics.map((row) => row["reward/mean"]),
        "no/such": [null, null, null, null],
        "tokens/total": metrics.map((row) => row["tokens/total"]),
      },
    });
  });

  test("tokens between agents add up to the metrics", async () => {
    const { agents, steps } = await get<Speech>(`/api/runs/${id}/speech`);
    const metrics = await rows("metrics.jsonl");
    expect([agents, steps.map(({ step }) => step)]).toEqual([
      ["hint", "solver"],
      [1, 2, 3, 4],
    ]);
    for (const [i, { episodes, written, silence, edges, total, prices }] of steps.entries()) {
      const row = metrics[i] as Record<string, number>;
      expect([episodes, prices]).toEqual([6, { tokens: 0.1 }]);
      expect(6 * (written["hint"] as number)).toBeCloseTo(row["tokens/written/hint"] as number, 9);
      expect(silence["hint"]).toBeCloseTo(row["silence/hint/frac"] as number, 9);
      const [edge] = edges;
      expect(edge).toMatchObject({ from: "hint", to: "solver" });
      expect(6 * (edge?.tokens ?? 0)).toBeCloseTo(row["tokens/read/solver"] as number, 9);
      expect(edge?.cost).toBeCloseTo(0.1 * (edge?.tokens ?? 0), 12);
      expect(total).toBeCloseTo(0.1 * (row["tokens/episode_mean"] as number), 12);
    }
  });

  test("finds episodes by kind, step, grade, speaker and text, and their means are the metrics", async () => {
    const all = await get<EpisodePage>(`/api/runs/${id}/episodes?limit=500`);
    expect([all.total, all.rows.length]).toEqual([39, 39]);
    expect(all.rows.slice(0, 6).map(({ kind, step }) => [kind, step])).toContainEqual(["evaluation", 4]);
    const step = await get<EpisodePage>(`/api/runs/${id}/episodes?kind=training&fromStep=3&toStep=3`);
    const metrics = (await rows("metrics.jsonl"))[2] as Record<string, number>;
    const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
    expect(step.rows.map(({ key }) => key)).toEqual(["s3.0", "s3.1", "s3.2", "s3.3", "s3.4", "s3.5"]);
    expect(mean(step.rows.map(({ reward }) => reward as number))).toBeCloseTo(metrics["reward/mean"] as number, 12);
    expect(mean(step.rows.map(({ grade }) => grade as number))).toBeCloseTo(metrics["task/accuracy"] as number, 12);
    expect(mean(step.rows.map(({ tokens }) => tokens))).toBeCloseTo(metrics["tokens/episode_mean"] as number, 12);
    const queries = {
      "kind=evaluation": all.rows.filter(({ kind }) => kind === "evaluation"),
      "correct=1": all.rows.filter(({ grade }) => grade === 1),
      "silent=true": all.rows.filter(({ silent }) => silent.length > 0),
      "agent=hint&silent=1": all.rows.filter(({ silent }) => silent.includes("hint")),
      "agent=nobody": [],
      "text=zebra": [],
      [`problem=${all.rows[0]?.problem}`]: all.rows.filter(({ problem }) => problem === all.rows[0]?.problem),
    };
    for (const [query, expected] of Object.entries(queries)) {
      const page = await get<EpisodePage>(`/api/runs/${id}/episodes?limit=500&${query}`);
      expect([query, page.total, page.rows]).toEqual([query, expected.length, expected]);
    }
    const dearest = await get<EpisodePage>(`/api/runs/${id}/episodes?sort=tokens&limit=500`);
    expect(dearest.rows.map(({ tokens }) => tokens)).toEqual(
      all.rows.map(({ tokens }) => tokens).toSorted((a, b) => b - a),
    );
    const second = await get<EpisodePage>(`/api/runs/${id}/episodes?offset=5&limit=3`);
    expect(second.rows).toEqual(all.rows.slice(5, 8));
  });

  test("an episode has tokens with log-probs, advantages, prices and readings, and equal problems elsewhere", async () => {
    for await (const { step, episode, reward, terms } of eachEpisode(folderSource(join(folder, "runs/a")), "step")) {
      const page = await get<EpisodePage>(`/api/runs/${id}/episodes?kind=training&fromStep=${step}&toStep=${step}`);
      const details = await Promise.all(
        page.rows.map(({ key }) => get<EpisodeDetail>(`/api/runs/${id}/episodes/${key}`)),
      );
      const said = (turns: readonly { text: string }[]): string => JSON.stringify(turns.map(({ text }) => text));
      const { utterances } = episode;
      const detail = details.find(
        (each) => said(each.turns) === said(utterances) && each.problem.id === episode.problemId,
      ) as EpisodeDetail;
      expect([detail.row.reward, detail.terms, detail.prices]).toEqual([reward, terms, { tokens: 0.1 }]);
      const group = page.rows.filter(({ problem }) => problem === detail.problem.id);
      const mean = group.reduce((sum, each) => sum + (each.reward as number), 0) / group.length;
      for (const [i, turn] of detail.turns.entries()) {
        const { agent, writtenTokens, deliveredTo, trace } = utterances[i] as (typeof utterances)[number];
        const { logProbs } = trace as TokenTrace;
        expect(turn).toMatchObject({ agent, writtenTokens, deliveredTo });
        expect(turn.tokens?.map(({ logProb }) => logProb)).toEqual(logProbs);
        expect(turn.advantage).toBeCloseTo((detail.row.reward as number) - mean, 12);
        expect(turn.tokens?.map(({ price }) => price)).toEqual(logProbs.map(() => expect.closeTo(0.1, 12)));
        expect(turn.tokens?.map(({ text }) => text).join("")).toBe(turn.text);
      }
      expect(detail.turns.map(({ reads }) => reads)).toEqual([[], detail.turns[0]?.silent ? [] : [0]]);
      expect(detail.turns[0]?.view).toBe(detail.problem.views?.["hint"]);
    }
    const evaluated = await get<EpisodeDetail>(`/api/runs/${id}/episodes/e4.1`);
    expect(evaluated.others.map(({ key }) => key)).toEqual(["e0.1", "e2.1"]);
    expect(evaluated.row).toMatchObject({ key: "e4.1", kind: "evaluation", step: 4, reward: null });
  });

  test("lists no benches", async () => expect(await get<BenchTable[]>("/api/benches")).toEqual([]));
});

describe("access control", () => {
  const status = async (path: string, headers = {}, method = "GET"): Promise<number> =>
    (await ask(path, headers, method)).status;

  test("a path never leads outside the folder", async () => {
    const paths = [
      "/nothing",
      "/dashboard",
      "/dashboard/../../package.json",
      "/%2e%2e/runs/a/config.json",
      "/assets/..%2f..%2fruns",
      "/api",
      "/api/runs/..",
      "/api/runs/%2e%2e%2fa",
      "/api/runs/a",
      `/api/runs/${id}/config.json`,
      `/api/runs/${id}/episodes/..`,
      `/api/runs/${id}/episodes/s1.6`,
      `/api/runs/${id}/episodes/s1.-1`,
      `/api/runs/${id}/episodes/s9.0`,
      `/api/runs/${id}/episodes/s1.0/x`,
      "/api/runs/__proto__",
      "/api/constructor",
    ];
    for (const path of paths) expect([path, await status(path)]).toEqual([path, 404]);
    expect(await status("/%zz")).toBe(400);
    for (const query of ["limit=501", "limit=-1", "kind=x", "offset=1e3", `text=${"a".repeat(1001)}`, "correct=maybe"])
      expect([query, await status(`/api/runs/${id}/episodes?${query}`)]).toEqual([query, 400]);
    expect(await status("/api/runs", {}, "POST")).toBe(405);
    expect(await status("/api/runs", {}, "HEAD")).toBe(200);
  });

  test("rejects rebound host names and pages of other origins", async () => {
    // `serve` tests all cases of this check.
    expect(await status("/api/runs", { host: "evil.example" })).toBe(403);
    expect(await status("/api/runs", { host: "dash.localhost" })).toBe(200);
    expect(await status("/api/runs", { origin: "http://localhost:9999" })).toBe(403);
    expect(await status("/api/runs", { origin: "http://localhost:1234" })).toBe(200);
  });

  test("pages load only from their own site, and data is not cached", async () => {
    const page = await ask("/dashboard/");
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/u,
    );
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect((await ask("/")).headers.get("location")).toBe("/dashboard/");
    expect((await ask("/assets/index-CTztFo-H.js")).headers.get("cache-control")).toContain("immutable");
    for (const answer of [page, await ask("/api/runs"), await ask("/nothing")]) {
      const { headers } = answer;
      expect([headers.get("x-content-type-options"), headers.get("referrer-policy")]).toEqual([
        "nosniff",
        "no-referrer",
      ]);
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
    expect((await ask("/api/runs")).headers.get("cache-control")).toBe("no-store");
  });

  test("on a public address a token becomes a cookie, and nothing is answered without it", async () => {
    const options = { folders: [], pages: join(folder, "pages"), hosts: ["0.0.0.0", "box.example"], token: "se-cret" };
    const open = await openViewer(options);
    const reach = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      open.handle(new Request(`http://x${path}`, { headers: { host: "box.example:80", ...headers } }));
    for (const path of ["/", "/dashboard/", "/api/runs", "/?token=", "/?token=se-cre", "/?token=SE-CRET"])
      expect([path, (await reach(path)).status]).toEqual([path, 401]);
    expect((await reach("/?token=se-cret", { host: "evil.example" })).status).toBe(403);
    const welcome = await reach("//evil.example/dashboard/?token=se-cret&run=%22%3E%3Cscript%3E");
    const cookie = welcome.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^laconic-view-\w{8}=\w{64}; HttpOnly; SameSite=Strict; Path=\/$/u);
    expect(cookie).not.toContain("se-cret");
    const text = await welcome.text();
    expect(text).toContain('content="0;url=/evil.example/dashboard/?run=');
    expect(text).not.toContain("<script");
    const [pair = ""] = cookie.split(";");
    expect((await reach("/api/runs", { cookie: `a=b; ${pair}` })).status).toBe(200);
    expect((await reach("/api/runs", { cookie: `${pair}x` })).status).toBe(401);
    expect((await reach("/api/runs", { cookie: pair, origin: "http://evil.example" })).status).toBe(403);
    expect((await reach("/api/runs", { cookie: pair, host: "10.0.0.7" })).status).toBe(200);
    await open.close();
  });
});

test("reports internal failures only to the operator", async () => {
  const heard: unknown[] = [];
  const broken = await openViewer({
    folders: [],
    pages: join(folder, "pages"),
    onError: (error) => heard.push(error),
    data: { ...({} as ViewData), runs: () => Promise.reject(new Error("/secret/path")), close: async () => undefined },
  });
  const answer = await broken.handle(new Request("http://x/api/runs", { headers: { host: "localhost" } }));
  expect([answer.status, await answer.text()]).toEqual([
    500,
    `{"error":{"code":"server_error","message":"internal error; see the server's log"}}`,
  ]);
  expect(heard).toEqual([new Error("/secret/path")]);
  await broken.close();
});

test("behind Node's server the stream reports growth and ends with its reader", async () => {
  const server = createViewServer(viewer, (error) => expect(error).toBeNull());
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const stop = new AbortController();
  const response = await fetch(`http://127.0.0.1:${port}/api/events`, { signal: stop.signal });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const next = async (): Promise<string> => new TextDecoder().decode((await reader.read()).value);
  expect([response.headers.get("content-type"), await next()]).toEqual(["text/event-stream", "retry: 1000\n\n"]);
  await smallRun(join(folder, "runs/b"), { settings: { ...settings, steps: 1 } });
  const [found] = [await next()];
  expect(found).toContain(`data: {"type":"runs"}\n\n`);
  expect((await get<RunSummary[]>("/api/runs")).map(({ name, state }) => [name, state])).toEqual([
    ["b", "done"],
    ["a", "done"],
  ]);
  stop.abort();
  await closeServer(server, 1000);
  expect(failures).toEqual([]);
  expect(await readFile(join(folder, "runs/b/LOCK"), "utf8").catch(() => null)).toBeNull();
});
