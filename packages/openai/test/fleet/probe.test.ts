import { once } from "node:events";
import { createServer, request as ask } from "node:http";
import type { AddressInfo } from "node:net";
import type { SampleRequest } from "@laconic/core";
import { conformanceConfig } from "@laconic/engine/testing";
import { probeFleet, probeServer, sglangServer, vllmServer, type FleetRecord } from "@laconic/openai/fleet";
import { describe, expect, test } from "vitest";
import { onFakes, requests, step, type OnFakes } from "./on-fakes.ts";

const probe = ({ fleet, model }: OnFakes, options: object = {}): Promise<FleetRecord> =>
  probeFleet(fleet, model, { vocabularySize: 13, ...options });

describe.each(["vllm", "sglang"] as const)("on %s", (kind) => {
  test("measures a correct server", async () => {
    const made = await onFakes({ kind });
    await step(made.model);
    const record = await probe(made);
    expect(record.refused).toEqual([]);
    expect(record.servers).toHaveLength(2);
    for (const server of record.servers) {
      expect(server).toMatchObject({ kind, version: "fake", contextLength: 48, logProbsAt: "sampling", repeats: true });
      expect(server.gap.tokens).toBe(24);
      expect(server.gap.max).toBeLessThan(1e-6);
    }
    // Five times a gap of 0, but at least the rounding of other kernels.
    expect(made.fleet.tolerance).toBe(1e-3);
  });

  test("rejects log-probs at temperature 1 with a remedy, unless computed locally", async () => {
    const refused = await onFakes({ kind, fake: { logProbs: "raw" } });
    await expect(probe(refused)).rejects.toFailWith(
      "api_refused",
      kind === "vllm" ? /--logprobs-mode processed_logprobs/u : /unset SGLANG_RETURN_ORIGINAL_LOGPROB/u,
    );
    const taken = await onFakes({ kind, fake: { logProbs: "raw" }, model: { logProbs: "forward" } });
    const { servers } = await probe(taken, { takesRaw: true });
    expect(servers.map(({ logProbsAt }) => logProbsAt)).toEqual(["one", "one"]);
  });

  test("names all reasons if no server accepts weights", async () => {
    const made = await onFakes({ kind, fake: { updates: false } });
    const [one, two] = made.fakes.map(({ url }) => url);
    await expect(probe(made)).rejects.toFailWith(
      "api_refused",
      new RegExp(`no server of the fleet passed the probe: .*${one}.*${two}`, "u"),
    );
  });

  test("detects another base model by its log-probs", async () => {
    const other = { kind: "config", config: conformanceConfig, seed: 5 } as const;
    const made = await onFakes({ kind, fake: { base: other } });
    await expect(probe(made)).rejects.toMatchObject({
      message: expect.stringMatching(/: (?:loaded .* but )?its log-probs differ from the trainer's/u),
    });
  });

  test.each(["adapters", "all weights"])("rejects replicas behind one address by name, with %s", async (weights) => {
    const source = { kind: "config", config: conformanceConfig, seed: 2 } as const;
    const { fakes, fleet, model, local } = await onFakes({ kind, ...(weights !== "adapters" && { source }) });
    await step(local);
    let turn = 0;
    const balancer = createServer((request, response) => {
      const { host, port } = new URL(fakes[turn++ % fakes.length]?.url ?? "");
      const { method, url: path, headers } = request;
      const passed = ask({ host: host.split(":")[0], port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(passed);
    });
    balancer.listen(0, "127.0.0.1");
    await once(balancer, "listening");
    const { port } = balancer.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const server = kind === "vllm" ? vllmServer({ url }) : sglangServer({ url });
    const published = await model.published();
    await expect(probeServer(server, published, model, { vocabularySize: 13 })).rejects.toFailWith(
      "api_refused",
      /^http:\S+: (?:status 200: )?only 4 of 8 equal requests .* several servers share this address/u,
    );
    // One by one they are well.
    expect((await probeFleet(fleet, model, { vocabularySize: 13 })).refused).toEqual([]);
    balancer.close();
    balancer.closeAllConnections();
  });

  test("excludes one bad server and reports it", async () => {
    const made = await onFakes({ kind });
    const [one] = made.fakes;
    if (one) one.faults = (path) => (/completions|generate/u.test(path) ? { kind: "wrong-tokens" } : null);
    const record = await probe(made);
    expect(record.servers).toHaveLength(1);
    expect(record.refused[0]).toMatchObject({
      url: one?.url,
      reason: expect.stringMatching(/outside the vocabulary/u),
    });
    expect(made.fleet.servers[0]).toMatchObject({ state: "quarantined" });
    await made.model.sample(requests(8));
    expect(made.fleet.servers.map(({ replies }) => replies)).toEqual([0, 8]);
  });
});

test("cut distributions on vLLM need locally computed log-probs", async () => {
  const cut = (request: SampleRequest): SampleRequest => ({
    ...request,
    sampling: { ...request.sampling, topK: 2 },
  });
  const made = await onFakes({ kind: "vllm" });
  await expect(made.model.sample(requests(1).map(cut))).rejects.toFailWith(
    "input_invalid",
    /topK.*logProbs: "forward"/u,
  );
  const here = await onFakes({ kind: "vllm", model: { logProbs: "forward" } });
  expect(await here.model.sample(requests(2).map(cut))).toHaveLength(2);
});
