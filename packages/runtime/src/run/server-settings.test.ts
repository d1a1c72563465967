import { expect, test } from "vitest";
import {
  samplerFromText,
  samplerSettings,
  samplerTitle,
  serversOf,
  serverKindNames,
  serverKinds,
} from "./server-settings.ts";
import { samplingServers } from "./open-fleet.ts";

test.each(serverKindNames)("%s is read, written, and connected to as its kind says", (kind) => {
  const url = "http://127.0.0.1:800";
  const sampler = samplerFromText(`${kind}:${url},${url}1`);
  expect(samplerSettings.parse({ [kind]: { urls: [url, `${url}1`] } })).toEqual(sampler);
  expect(samplerTitle(sampler)).toBe(`${kind}:${url},${url}1`);
  expect(serversOf(sampler)).toEqual({ kind, urls: [url, `${url}1`] });
  const { reportsUncut } = serverKinds[kind];
  for (const server of samplingServers(sampler))
    expect([server.kind, server.holds.all, server.reportsUncut]).toEqual([kind, 1, reportsUncut]);
});

test("an unknown kind of server is rejected with the known kinds", () => {
  expect(() => samplerFromText("tgi:http://127.0.0.1:8000")).toThrow(
    "write vllm:http://HOST:PORT,http://HOST:PORT or sglang:..., or null for this machine",
  );
});
