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
])("%j sets the cache to %s", (variables, cacheFolder) => {
  expect(hubEnvironment(variables, () => null)).toEqual({ cacheFolder, offline: false });
});

test("endpoint, token and offline are taken when they are set", () => {
  const variables = { HF_HUB_CACHE: "/c", HF_ENDPOINT: "https://mirror", HF_TOKEN: "hf_x", HF_HUB_OFFLINE: "YES" };
  expect(hubEnvironment(variables)).toEqual({
    cacheFolder: "/c",
    offline: true,
    endpoint: "https://mirror",
    token: "hf_x",
  });
  expect(hubEnvironment({ HF_TOKEN: "", HF_ENDPOINT: "", HF_HUB_OFFLINE: "0" }, () => null)).not.toHaveProperty(
    "token",
  );
  expect(hubEnvironment({ HF_HUB_OFFLINE: "0" }).offline).toBe(false);
  expect(hubEnvironment({ TRANSFORMERS_OFFLINE: "1" }).offline).toBe(true);
});

test("the token of a login is read where Python leaves it", () => {
  const files = new Map([
    ["/h/token", "hf_login\n"],
    ["/elsewhere", "hf_other"],
  ]);
  const tokenOf = (variables: Record<string, string>): string | undefined =>
    hubEnvironment({ HF_HOME: "/h", ...variables }, (path) => files.get(path) ?? null).token;
  expect(tokenOf({})).toBe("hf_login");
  expect(tokenOf({ HF_TOKEN_PATH: "/elsewhere" })).toBe("hf_other");
  expect(tokenOf({ HF_TOKEN: "hf_x" })).toBe("hf_x");
  expect(tokenOf({ HF_HUB_DISABLE_IMPLICIT_TOKEN: "1" })).toBeUndefined();
  expect(hubEnvironment({ HF_HOME: "/no/such/folder" })).not.toHaveProperty("token");
});
