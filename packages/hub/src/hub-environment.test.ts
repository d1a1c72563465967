import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { hubEnvironment } from "./hub-environment.ts";

test.each<[variables: Record<string, string>, cacheFolder: string]>([
  [{}, join(homedir(), ".cache", "huggingface", "hub")],
  [{ XDG_CACHE_HOME: "/x" }, "/x/huggingface/hub"],
  [{ XDG_CACHE_HOME: "/x", HF_HOME: "/h" }, "/h/hub"],
  [{ HF_HOME: "/h", HUGGINGFACE_HUB_CACHE: "/old" }, "/old"],
  [{ HF_HOME: "/h", HUGGINGFACE_HUB_CACHE: "/old", HF_HUB_CACHE: "/new" }, "/new"],
])("with %j the cache is at %s", (variables, cacheFolder) => {
  expect(hubEnvironment(variables)).toEqual({ cacheFolder, offline: false });
});

test("endpoint, token and offline are taken when they are set", () => {
  const variables = { HF_HUB_CACHE: "/c", HF_ENDPOINT: "https://mirror", HF_TOKEN: "hf_x", HF_HUB_OFFLINE: "YES" };
  expect(hubEnvironment(variables)).toEqual({
    cacheFolder: "/c",
    offline: true,
    endpoint: "https://mirror",
    token: "hf_x",
  });
  expect(hubEnvironment({ HF_TOKEN: "", HF_ENDPOINT: "", HF_HUB_OFFLINE: "0" })).not.toHaveProperty("token");
  expect(hubEnvironment({ HF_HUB_OFFLINE: "0" }).offline).toBe(false);
  expect(hubEnvironment({ TRANSFORMERS_OFFLINE: "1" }).offline).toBe(true);
});
